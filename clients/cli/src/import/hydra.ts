// Reads OAuth 2.0 clients of Ory Hydra: the output of `hydra list clients`, a file for
// `hydra import client`, or rows of the table `hydra_client`, which have the hashes of the secrets.
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import {
  type ForeignClient,
  isObject,
  keysOf,
  parsed,
  textOf,
  textsOf,
  unusedFields,
  WrongExport,
} from './foreign-client.ts';

const lifespanField = 'client_credentials_grant_access_token_lifespan';

const used = new Set([
  ...['client_id', 'id', 'client_name', 'scope', 'grant_types', 'audience', 'client_secret'],
  ...['token_endpoint_auth_method', 'jwks', lifespanField],
  // They are about the record, or about grants that are not imported.
  ...['created_at', 'updated_at', 'pk', 'pk_deprecated', 'nid', 'response_types', 'subject_type'],
  ...['userinfo_signed_response_alg', 'registration_client_uri'],
  'registration_access_token_signature',
]);

const secretMethods = ['', 'client_secret_basic', 'client_secret_post'];

export function readHydra(json: JsonValue): ForeignClient[] {
  if (isObject(json) && ('realm' in json || 'clientId' in json)) throw keycloakExport();
  return listOf(json).map((one, i) => {
    if (isObject(one) && 'clientId' in one) throw keycloakExport();
    if (!isObject(one) || idOf(one) === '') {
      throw new WrongExport(`has no valid client_id in clients[${i}]`);
    }
    return readClient(one, `clients[${i}]`);
  });
}

function listOf(json: JsonValue): JsonValue[] {
  if (Array.isArray(json)) return json;
  if (isObject(json) && Array.isArray(json.items)) return json.items;
  if (isObject(json) && idOf(json) !== '') return [json];
  throw new WrongExport('has no list of OAuth 2.0 clients of Hydra');
}

const keycloakExport = () =>
  new WrongExport('is an export of Keycloak. Run: latchkey import keycloak');

const idOf = (json: JsonObject) => textOf(json.client_id) || textOf(json.id);

function readClient(json: JsonObject, place: string): ForeignClient {
  const method = textOf(json.token_endpoint_auth_method);
  const grants = listFrom(json.grant_types);
  const lifespan = json[lifespanField];
  const isTime = typeof lifespan === 'string' || typeof lifespan === 'number';
  const tokenSeconds = isTime ? secondsOf(String(lifespan)) : undefined;
  const skipped = !grants.includes('client_credentials')
    ? 'has no grant client_credentials'
    : method === 'none'
      ? 'is a public client'
      : undefined;
  const keys = method === 'private_key_jwt' ? keysOf(json.jwks) : [];
  const notes = [
    ...grants.filter((one) => one !== 'client_credentials').map((one) => `grant ${one}`),
    ...unusedFields(json, used),
    ...(keys.length === 0 && keysOf(json.jwks).length > 0 ? ['jwks'] : []),
    ...(lifespan && tokenSeconds === undefined ? [`${lifespanField} (1 second to 1 hour)`] : []),
    ...([...secretMethods, 'private_key_jwt'].includes(method) ? [] : [`authentication ${method}`]),
  ];
  const secret = secretMethods.includes(method) ? textOf(json.client_secret) : '';
  return {
    place,
    clientId: idOf(json),
    name: textOf(json.client_name),
    scopes: textOf(json.scope).split(/\s+/).filter(Boolean),
    defaultScopes: [],
    audiences: listFrom(json.audience),
    ...(tokenSeconds === undefined ? {} : { tokenSeconds }),
    ...(secret === '' ? {} : { secret: secretOf(secret) }),
    keys,
    ...(skipped === undefined ? {} : { skipped }),
    notes,
  };
}

/** A dump contains the hash (modular crypt format); an import file contains the secret. */
const secretOf = (text: string) =>
  /^\$[0-9a-z-]+\$/.test(text) ? { hash: text } : { value: text };

/** The database stores lists as JSON. Older releases separated the values with `|`. */
function listFrom(value: JsonValue | undefined): string[] {
  if (typeof value !== 'string') return textsOf(value);
  const json = parsed(value);
  return Array.isArray(json) ? textsOf(json) : value.split('|').filter(Boolean);
}

/** Reads a duration of Go, such as `1h0m0s`, or nanoseconds: 1 to 3,600 seconds, or undefined. */
function secondsOf(text: string): number | undefined {
  const [, h = 0, m = 0, s = 0] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text) ?? [];
  const seconds = /^\d{10,}$/.test(text)
    ? Number(text) / 1e9
    : Number(h) * 3600 + Number(m) * 60 + Number(s);
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= 3600 ? seconds : undefined;
}
