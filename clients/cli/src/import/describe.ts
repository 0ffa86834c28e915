// Turns a client of another server into the form in which `apply` reads clients from files.
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { Kind } from '../apply/kinds.ts';
import type { Declared } from '../apply/read-files.ts';
import { isDeleted, type Stored } from '../apply/stored.ts';
import type { ForeignClient } from './foreign-client.ts';
import { mapScopes, type ScopeMap } from './scopes.ts';

export type Described = {
  readonly client: ForeignClient;
  /** The client to create. */
  readonly declared?: Declared;
  /** The client that already has this id. */
  readonly existing?: Stored;
  /** Why the client is not created. */
  readonly reason?: string;
  /** The parts that are not carried over. */
  readonly notes: readonly string[];
};

export type DescribeContext = {
  readonly file: string;
  readonly kind: Kind;
  /** All clients of the server. */
  readonly stored: readonly Stored[];
  readonly scopeMap: ScopeMap;
  /** By the identifiers of the audiences. */
  readonly audienceIds: ReadonlyMap<string, string>;
  /** Whether the secrets of the file are ignored. */
  readonly isNewSecret: boolean;
};

/** The form of an id that the service accepts. */
const idPattern = /^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$/;
/** The words and forms that it uses for something else. A test compares them with the service. */
const reserved = [
  /^(service|customer|staff|member|anonymous|me|system|workspace_key|latchkey.*)$/i,
  /^((lk|usr|cli)_.*|[a-z]{2,3}_[0-9A-Za-z]{22})$/i,
];

export function describe(client: ForeignClient, context: DescribeContext): Described {
  const { clientId } = client;
  const existing = context.stored.find(({ id }) => id === clientId);
  const reason = client.skipped ?? problemOf(clientId, existing, context);
  if (reason !== undefined) {
    return { client, reason, notes: [], ...(existing === undefined ? {} : { existing }) };
  }
  const { declared, notes } = declare(client, context);
  return { client, declared, notes };
}

function problemOf(
  clientId: string,
  existing: Stored | undefined,
  { stored }: DescribeContext,
): string | undefined {
  if (!idPattern.test(clientId)) {
    return 'the id must be 1 to 64 letters, digits, ".", "-" or "_", first a letter or digit';
  }
  if (reserved.some((form) => form.test(clientId))) {
    return 'the id is a reserved word or has the form of an id of the service';
  }
  if (existing !== undefined) {
    return isDeleted(existing)
      ? `is deleted. Run: latchkey clients undelete ${clientId}`
      : 'already exists';
  }
  const other = stored.find(({ json }) => json.external_id === clientId);
  return other === undefined ? undefined : `the client ${other.id} has the external id ${clientId}`;
}

function declare(
  client: ForeignClient,
  { file, kind, scopeMap, audienceIds, isNewSecret }: DescribeContext,
): { readonly declared: Declared; readonly notes: readonly string[] } {
  const { clientId, name, tokenSeconds, keys } = client;
  const secret = isNewSecret ? undefined : client.secret;
  const scopes = mapScopes(client.scopes, scopeMap);
  const defaults = mapScopes(client.defaultScopes, scopeMap);
  const audiences = client.audiences.flatMap((one) => audienceIds.get(one) ?? []);
  const values: Record<string, JsonValue> = {
    name: name || clientId,
    ...(scopes.mapped.length > 0 ? { scopes: scopes.mapped } : {}),
    ...(defaults.mapped.length > 0 ? { default_scopes: defaults.mapped } : {}),
    ...(audiences.length > 0 ? { audiences } : {}),
    ...(tokenSeconds === undefined ? {} : { token_seconds: tokenSeconds }),
  };
  const fields: JsonObject = {
    client_id: clientId,
    ...(secret === undefined ? {} : { imported_secret: secret }),
  };
  const unknown = client.audiences.filter((one) => !audienceIds.has(one));
  const notes = [
    ...scopes.notes,
    ...unknown.map((one) => `audience ${one} (does not exist here)`),
    ...client.notes,
    ...(secret === undefined ? ['secret: the client gets a new one'] : []),
  ];
  const base = { kind, externalId: clientId, file, place: `${file}: ${client.place}` };
  return { declared: { ...base, values, imported: { fields, keys } }, notes };
}
