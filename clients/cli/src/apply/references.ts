// Replaces the external ids in files with the ids of the service.
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { CommandError } from '../base/command.ts';
import { isId } from '../base/ids.ts';
import { type FieldSpec, isNameable, type KindName, kinds, referenceIn } from './kinds.ts';
import type { StoredKinds } from './stored.ts';

/** The ids of the resources that exist, by their external ids. */
export class Ids {
  readonly #ids = new Map<string, string>();
  /** By `<kind> <id>`. */
  readonly #names = new Map<string, string>();

  constructor(stored: StoredKinds) {
    for (const kind of kinds) {
      const { name } = kind;
      for (const [externalId, { id }] of stored[name]) {
        this.set(name, externalId, id);
        if (isNameable(kind, externalId)) this.#names.set(`${name} ${id}`, externalId);
      }
    }
  }

  set(kind: KindName, externalId: string, id: string): void {
    this.#ids.set(`${kind} ${externalId}`, id);
  }

  has(kind: KindName, externalId: string): boolean {
    return this.#ids.has(`${kind} ${externalId}`);
  }

  /** For a resource that does not exist yet, a text that is not an id, to compare with. */
  get(kind: KindName, externalId: string): string {
    return this.#ids.get(`${kind} ${externalId}`) ?? `missing ${externalId}`;
  }

  /** The external id by which a file names a stored resource; undefined if it has none. */
  externalIdOf(kind: KindName, id: string): string | undefined {
    return this.#names.get(`${kind} ${id}`);
  }
}

/** The value of a field as the API has it. */
export function wantedValue(spec: FieldSpec, value: JsonValue, ids: Ids): JsonValue {
  if (spec.refersTo === undefined) return value;
  return (value as string[]).map((text) => {
    const reference = referenceIn(spec, text);
    return reference === undefined ? text : ids.get(reference.kind, reference.externalId);
  });
}

type Identity = {
  readonly trusted_issuer: string;
  readonly subject: string;
  readonly claims?: JsonObject;
};

export const wantedIdentities = (value: JsonValue, ids: Ids): JsonObject[] =>
  (value as Identity[]).map(({ trusted_issuer: issuer, subject, claims = {} }) => ({
    issuer_id: isId('iss', issuer) ? issuer : ids.get('trusted_issuers', issuer),
    ...{ subject, claims },
  }));

type Reference = { readonly kind: KindName; readonly externalId: string };

/** The external ids that a value names. */
export function referencesIn(spec: FieldSpec, value: JsonValue): Reference[] {
  if (spec.type === 'identities') {
    return (value as Identity[])
      .filter(({ trusted_issuer: issuer }) => !isId('iss', issuer))
      .map(({ trusted_issuer: externalId }) => ({ kind: 'trusted_issuers', externalId }));
  }
  if (spec.type !== 'texts') return [];
  return (value as string[]).flatMap((text) => referenceIn(spec, text) ?? []);
}

/** Throws if a value names a resource that could not be created. */
export function requireCreated(spec: FieldSpec, value: JsonValue, ids: Ids): void {
  const missing = referencesIn(spec, value).find((one) => !ids.has(one.kind, one.externalId));
  if (missing !== undefined) throw new CommandError(`${missing.externalId} was not created`);
}
