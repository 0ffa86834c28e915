// A client of another authorization server, as both readers of exports describe it.
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

export type ForeignClient = {
  /** Its place in the file, such as `clients[3]`. */
  readonly place: string;
  readonly clientId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Those of its scopes that every token has. */
  readonly defaultScopes: readonly string[];
  /** The values of `aud` in its tokens. */
  readonly audiences: readonly string[];
  readonly tokenSeconds?: number;
  readonly secret?: { readonly hash: string } | { readonly value: string };
  readonly keys: readonly JsonObject[];
  /** Why it cannot be imported. */
  readonly skipped?: string;
  /** The parts that are not imported, without values, which may be secrets. */
  readonly notes: readonly string[];
};

/** The file does not have the form of the export. */
export class WrongExport extends Error {}

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const textOf = (value: JsonValue | undefined) => (typeof value === 'string' ? value : '');

export const textsOf = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** Returns the names of non-empty members that the import ignores. */
export function unusedFields(json: JsonObject, used: ReadonlySet<string>): string[] {
  return Object.entries(json)
    .filter(([name, value]) => !used.has(name) && !isEmpty(value))
    .map(([name]) => name);
}

/** Without recursion: a file can nest values as deeply as it likes. */
function isEmpty(value: JsonValue): boolean {
  const rest = [value];
  for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
    if (isObject(one)) for (const member of Object.values(one)) rest.push(member);
    else if (Array.isArray(one) ? one.length > 0 : !emptyValues.includes(one)) return false;
  }
  return true;
}

const emptyValues: readonly JsonValue[] = ['', '{}', '[]', 'null', 'false', 0, false, null];

const jwkMembers = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg', 'use'];

/** The public part of a JSON Web Key. */
export const publicJwk = (jwk: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(jwk).filter(([name]) => jwkMembers.includes(name)));

/** Returns the public keys of a key set, given as an object or as JSON text. */
export function keysOf(value: JsonValue | undefined): JsonObject[] {
  const set = typeof value === 'string' ? parsed(value) : value;
  const keys = isObject(set) ? set.keys : undefined;
  return Array.isArray(keys) ? keys.filter(isObject).map(publicJwk) : [];
}

/** Undefined unless the text is JSON. */
export function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
