// Reads the clients of an export of a Keycloak realm.
import { X509Certificate } from 'node:crypto';
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import {
  type ForeignClient,
  isObject,
  keysOf,
  publicJwk,
  textOf,
  textsOf,
  unusedFields,
  WrongExport,
} from './foreign-client.ts';

const used = new Set([
  ...['clientId', 'name', 'enabled', 'serviceAccountsEnabled', 'secret', 'attributes'],
  ...['clientAuthenticatorType', 'defaultClientScopes', 'optionalClientScopes', 'protocolMappers'],
  // They are about the record, or about grants that are not imported.
  ...[
    'id',
    'protocol',
    'publicClient',
    'bearerOnly',
    'description',
    'access',
    'nodeReRegistrationTimeout',
  ],
  ...['fullScopeAllowed', 'frontchannelLogout', 'surrogateAuthRequired', 'alwaysDisplayInConsole'],
]);

const usedAttributes = new Set([
  ...['access.token.lifespan', 'jwks.string', 'use.jwks.string', 'jwt.credential.certificate'],
  ...['client.secret.creation.time', 'backchannel.logout.session.required', 'realm_client'],
]);

/** Every realm has these scopes, which are about logins. */
const loginScopes = new Set([
  ...['acr', 'address', 'basic', 'email', 'microprofile-jwt', 'offline_access', 'organization'],
  ...['phone', 'profile', 'roles', 'service_account', 'web-origins'],
]);

export function readKeycloak(json: JsonValue): ForeignClient[] {
  return listOf(json).map((one, i) => {
    if (isObject(one) && ('client_id' in one || 'grant_types' in one)) throw hydraExport();
    if (!isObject(one) || textOf(one.clientId) === '') {
      throw new WrongExport(`has no valid clientId in clients[${i}]`);
    }
    return readClient(one, `clients[${i}]`);
  });
}

function listOf(json: JsonValue): JsonValue[] {
  if (isObject(json) && Array.isArray(json.clients)) return json.clients;
  if (isObject(json) && ('client_id' in json || 'items' in json)) throw hydraExport();
  if (isObject(json) && textOf(json.clientId) !== '') return [json];
  if (!Array.isArray(json)) throw new WrongExport('has no list of clients of Keycloak');
  const realms = json.filter((one) => isObject(one) && 'realm' in one);
  const [realm] = realms;
  if (realm === undefined) return json;
  if (realms.length === 1) return listOf(realm);
  throw new WrongExport(`has ${realms.length} realms. Export one realm`);
}

const hydraExport = () => new WrongExport('is an export of Hydra. Run: latchkey import hydra');

function readClient(json: JsonObject, place: string): ForeignClient {
  const attributes = isObject(json.attributes) ? json.attributes : {};
  const type = textOf(json.clientAuthenticatorType) || 'client-secret';
  const skipped = skipReason(json);
  const lifespan = textOf(attributes['access.token.lifespan']);
  const tokenSeconds = /^\d{1,4}$/.test(lifespan) ? Number(lifespan) : 0;
  const hasLifespan = tokenSeconds >= 1 && tokenSeconds <= 3600;
  const mappers = Array.isArray(json.protocolMappers) ? json.protocolMappers.filter(isObject) : [];
  const secret = type === 'client-secret' ? textOf(json.secret) : '';
  const isHidden = /^\*+$|^\$\{.*\}$/.test(secret);
  const defaultScopes = servicesScopes(json.defaultClientScopes);
  return {
    place,
    clientId: textOf(json.clientId),
    name: textOf(json.name).replace(/^\$\{.*\}$/, ''),
    scopes: [...defaultScopes, ...servicesScopes(json.optionalClientScopes)],
    defaultScopes,
    audiences: mappers.flatMap((mapper) => audienceOf(mapper) ?? []),
    ...(hasLifespan ? { tokenSeconds } : {}),
    ...(secret === '' || isHidden ? {} : { secret: { value: secret } }),
    keys: type === 'client-jwt' ? keysFrom(attributes) : [],
    ...(skipped === undefined ? {} : { skipped }),
    notes: [
      ...unusedFields(json, used),
      ...unusedFields(attributes, usedAttributes).map((name) => `attribute ${name}`),
      ...mappers
        .filter((mapper) => audienceOf(mapper) === undefined)
        .map((mapper) => `mapper ${textOf(mapper.name)}`),
      ...(lifespan === '' || hasLifespan ? [] : ['attribute access.token.lifespan']),
      ...(['client-secret', 'client-jwt'].includes(type) ? [] : [`authentication ${type}`]),
      ...(isHidden ? ['secret (hidden in this export)'] : []),
    ],
  };
}

function skipReason(json: JsonObject): string | undefined {
  if ((textOf(json.protocol) || 'openid-connect') !== 'openid-connect') {
    return 'is not a client of OpenID Connect';
  }
  if (json.publicClient === true) return 'is a public client';
  if (json.bearerOnly === true || json.serviceAccountsEnabled !== true) {
    return 'has no service account';
  }
  return json.enabled === false ? 'is disabled' : undefined;
}

const servicesScopes = (value: JsonValue | undefined) =>
  textsOf(value).filter((scope) => !loginScopes.has(scope));

function audienceOf({ protocolMapper, config }: JsonObject): string | undefined {
  if (protocolMapper !== 'oidc-audience-mapper' || !isObject(config)) return undefined;
  const { 'included.client.audience': client, 'included.custom.audience': custom } = config;
  return textOf(client) || textOf(custom) || undefined;
}

/** The key set of a client, or the key of its certificate. */
function keysFrom(attributes: JsonObject): JsonObject[] {
  const keys = keysOf(attributes['jwks.string']);
  const certificate = textOf(attributes['jwt.credential.certificate']);
  if (keys.length > 0 || certificate === '') return keys;
  try {
    const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'));
    return [publicJwk(publicKey.export({ format: 'jwk' }) as JsonObject)];
  } catch {
    return [];
  }
}
