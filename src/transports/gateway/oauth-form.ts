// Decodes the form of an OAuth endpoint: its parameters (RFC 6749 §3.2) and the client of HTTP
// Basic (§2.3.1) become fields of the request.
import { isUtf8 } from 'node:buffer';
import type { DescMessage, JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { Call } from '../../api/call.ts';
import type { MethodFacts } from '../../api/endpoint.ts';
import { fail, invalid } from '../../base/errors/errors.ts';

/** The fields that authenticate the client. HTTP Basic can replace them. */
export const oauthFields = ['client_id', 'client_secret'] as const;

export function authenticatesClient({ http, descriptor }: MethodFacts): boolean {
  const { fields } = descriptor.input;
  return http.oauthForm && fields.some(({ name }) => name === 'client_secret');
}

/** Returns whether the endpoint grants something, as the token endpoint does. */
export function hasGrantType({ fields }: DescMessage): boolean {
  return fields.some(({ name }) => name === 'grant_type');
}

/** The value of `WWW-Authenticate` for a client that tried Basic (RFC 6749 §5.2). */
export const basicChallenge = 'Basic realm="latchkey"';

export function isBasicAuthorization(authorization: string | undefined): authorization is string {
  return authorization !== undefined && /^basic(?: |$)/i.test(authorization);
}

/**
 * Reads a form. Empty and unknown parameters are ignored: clients send parameters for other
 * servers. A list is separated by single spaces, as a scope is.
 */
export function parseOAuthForm(message: DescMessage, text: string): JsonObject {
  const { fields } = message;
  const json: JsonObject = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const field = fields.find((candidate) => candidate.name === name);
    if (value === '' || field === undefined) continue;
    if (Object.hasOwn(json, name)) throw invalid(name, 'must be set only once');
    if (value.includes('\ufffd')) throw invalid(name, 'must be UTF-8');
    json[name] = field.fieldKind === 'list' ? value.split(' ') : value;
  }
  if (json.grant_type === undefined && hasGrantType(message)) {
    throw invalid('grant_type', 'is required in a form');
  }
  return json;
}

export function requireClientCredentials(
  json: JsonObject,
  call: Pick<Call, 'clientCertificate'>,
): void {
  if (json.client_secret !== undefined || json.client_assertion !== undefined) return;
  if (call.clientCertificate() !== undefined) return;
  throw fail('identity.credential_invalid', 'The request contains no client authentication.');
}

/** Adds the client of HTTP Basic, unless the body authenticates one, too. */
export function addBasicClient(json: JsonObject, authorization: string): void {
  for (const field of ['client_secret', 'client_assertion']) {
    if (isGiven(json[field])) throw invalid(field, 'must not be set together with HTTP Basic');
  }
  const client = readBasic(authorization);
  if (isGiven(json.client_id) && json.client_id !== client.client_id) {
    throw invalid('client_id', 'must match the client id in HTTP Basic');
  }
  Object.assign(json, client);
}

function isGiven(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== '';
}

function readBasic(authorization: string): { client_id: string; client_secret: string } {
  const [, base64 = ''] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(isUtf8(bytes) ? `${bytes}` : '') ?? [];
  const client = { client_id: formDecode(id), client_secret: formDecode(secret) };
  if (client.client_id !== '' && client.client_secret !== '') return client;
  throw fail('identity.credential_invalid', 'HTTP Basic contains no client id or no secret.');
}

/** Decodes RFC 6749 Appendix B. Undefined if the text is not encoded that way. */
function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return '';
  }
}
