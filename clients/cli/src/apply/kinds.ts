// The kinds of resources in files, in the order in which they are created, and their fields.
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { isId } from '../base/ids.ts';

export type KindName = 'audiences' | 'trusted_issuers' | 'customers' | 'clients' | 'workspaces';

export type FieldSpec = {
  readonly type: 'text' | 'texts' | 'number' | 'flag' | 'object' | 'identities';
  /** The value if the file leaves the field out. Without one, the field is then not managed. */
  readonly absent?: JsonValue;
  /** The field of the API, if it has another name. */
  readonly field?: string;
  readonly isRequired?: true;
  /** Set only when the resource is created. */
  readonly isFixed?: true;
  /** Another method than the one that updates the resource changes the field. */
  readonly isSeparate?: true;
  /** The service stores the value in lower case. */
  readonly isLowerCase?: true;
  /** The kinds whose external ids the values name, by the prefix of such a value. */
  readonly refersTo?: Readonly<Record<string, KindName>>;
};

export type Kind = {
  readonly name: KindName;
  /** The service, as in methods.ts; also the names of its methods and messages. */
  readonly service: string;
  readonly noun: string;
  /** The fields of requests with the id. */
  readonly idField: string;
  readonly fields: Readonly<Record<string, FieldSpec>>;
  /** How a resource that no file names is removed. */
  readonly removal?: 'delete' | 'disable';
};

const name: FieldSpec = { type: 'text', isRequired: true };
const texts: FieldSpec = { type: 'texts', absent: [] };
const audiences: FieldSpec = {
  ...texts,
  field: 'audience_ids',
  refersTo: { '': 'audiences' },
};
const disabled: FieldSpec = { type: 'flag', absent: false, isSeparate: true };

export const kinds: readonly Kind[] = [
  {
    ...{ name: 'audiences', service: 'audience', noun: 'audience', idField: 'audience_id' },
    fields: {
      identifier: { type: 'text', isRequired: true, isFixed: true },
      name,
      signing_alg: { type: 'text', absent: 'EdDSA' },
    },
    removal: 'delete',
  },
  {
    ...{ name: 'trusted_issuers', service: 'trustedIssuer', noun: 'trusted issuer' },
    idField: 'issuer_id',
    fields: {
      issuer: { type: 'text', isRequired: true, isFixed: true },
      name: { type: 'text', absent: '' },
      jwks_uri: { type: 'text', absent: '' },
      jwks: { type: 'object', absent: null },
      audience: { type: 'text', absent: '' },
      enabled: { type: 'flag', absent: true },
    },
    removal: 'delete',
  },
  {
    ...{ name: 'customers', service: 'customer', noun: 'customer', idField: 'customer_id' },
    fields: {
      name,
      audiences,
      accounts: { type: 'texts', absent: [], field: 'account_ids', isSeparate: true },
      disabled,
    },
    removal: 'disable',
  },
  {
    ...{ name: 'clients', service: 'client', noun: 'client', idField: 'client_id' },
    fields: {
      name,
      scopes: texts,
      audiences,
      claims: { type: 'object', absent: null },
      token_seconds: { type: 'number', absent: 0 },
      default_scopes: texts,
      may_act: { ...texts, refersTo: { 'client:': 'clients', 'customer:': 'customers' } },
      bound_tokens: { type: 'flag', absent: false },
      tls_client_auth_san_uri: { type: 'text', absent: '' },
      tls_client_auth_san_dns: { type: 'text', absent: '' },
      disabled,
      federated_identities: { type: 'identities', isSeparate: true },
    },
    removal: 'disable',
  },
  {
    ...{ name: 'workspaces', service: 'workspace', noun: 'workspace', idField: 'workspace_id' },
    // Members of a workspace change these fields in the console, too.
    fields: {
      name,
      quota: { type: 'object' },
      brand: { type: 'object', isLowerCase: true },
      link_defaults: { type: 'object' },
      require_second_factor: { type: 'flag' },
      grace_days: { type: 'number' },
    },
  },
];

/** The ids of the service that a file may contain instead of external ids. */
const idKinds = ['aud', 'cli', 'cus', 'usr'] as const;

/** The kind and the external id that a value names; undefined for a value of another kind. */
export function referenceIn(
  { refersTo = {} }: FieldSpec,
  value: string,
): { readonly kind: KindName; readonly externalId: string; readonly prefix: string } | undefined {
  if (idKinds.some((kind) => isId(kind, value))) return undefined;
  for (const [prefix, kind] of Object.entries(refersTo)) {
    if (value.startsWith(prefix)) return { kind, externalId: value.slice(prefix.length), prefix };
  }
  return undefined;
}

/**
 * Whether files can refer to the resource by its external id. A reference in the form of an id is
 * read as an id.
 */
export function isNameable({ name }: Kind, externalId: string): boolean {
  switch (name) {
    case 'audiences':
      return referenceIn(audiences, externalId) !== undefined;
    case 'trusted_issuers':
      return !isId('iss', externalId);
    case 'customers':
    case 'clients':
    case 'workspaces':
      return true;
  }
}

/** A text that is equal for equal values. The order of lists and of members does not matter. */
export function canonical(spec: FieldSpec, value: JsonValue | undefined): string {
  if (spec.type === 'texts') return JSON.stringify([...new Set(value as string[])].sort());
  if (spec.type === 'identities') {
    const texts = (value as JsonValue[]).map((one) => JSON.stringify(sorted(one)));
    return JSON.stringify([...new Set(texts)].sort());
  }
  const text = JSON.stringify(sorted(value ?? null));
  return spec.isLowerCase ? text.toLowerCase() : text;
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)])) as JsonObject;
}

/** Only the members of an object that the file names are compared. */
export function comparable(
  spec: FieldSpec,
  stored: JsonValue | undefined,
  wanted: JsonValue | undefined,
): JsonValue | undefined {
  const isPart = spec.type === 'object' && spec.absent === undefined;
  if (!isPart || !isObject(stored) || !isObject(wanted)) return stored;
  return Object.fromEntries(Object.keys(wanted).map((key) => [key, stored[key] ?? null]));
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
