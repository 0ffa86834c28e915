// Compares each way to get a token with the plain one: client credentials with a secret. All use the
// same service in the same rounds.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { createFreshHttpLoad, createHttpLoad } from './loads/wrk.mjs';
import { stopAll } from './processes.mjs';
import { noErrors, serverTable, verdictOf } from './report.mjs';
import { signIn, startService } from './service.mjs';
import { runRounds } from './tokens.mjs';

const scope = 'accounts:read payments:write';
const route = '/tokens';
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Each one returns the `fields` of all requests, or `makeRequests` for requests that differ. */
const ways = {
  plain: ({ client }) => ({ fields: withSecret(client) }),

  async private_key_jwt({ client, issuer, call }) {
    const key = newKey();
    await call('POST', `/clients/${client.id}/keys`, { jwk: key.jwk });
    const claims = { iss: client.id, sub: client.id, aud: issuer };
    const request = () => {
      const assertion = key.sign({}, { ...claims, ...freshClaims() });
      return { fields: assertionFields(assertion) };
    };
    return { makeRequests: (count) => repeat(count, request) };
  },

  async federation({ client, issuer: aud, call }) {
    const key = newKey();
    const [iss, sub, kid] = ['https://ci.example.com', 'repo:octo-org/octo-repo:ref:main', 'first'];
    const jwks = { keys: [{ ...key.jwk, kid }] };
    const { id } = await call('POST', '/trusted-issuers', { issuer: iss, jwks });
    await call('POST', `/clients/${client.id}/federated-identities`, {
      issuer_id: id,
      subject: sub,
    });
    const request = () => {
      const assertion = key.sign({ kid }, { iss, sub, aud, ...freshClaims() });
      return { fields: { client_id: client.id, ...assertionFields(assertion) } };
    };
    return { makeRequests: (count) => repeat(count, request) };
  },

  async 'token exchange'({ client, staffToken, call }) {
    await call('PATCH', `/clients/${client.id}`, { may_act: ['staff'] });
    const fields = {
      ...withSecret(client, 'tokens:read'),
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: staffToken,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    };
    return { fields };
  },

  async DPoP({ client, issuer }) {
    const key = newKey();
    const header = { typ: 'dpop+jwt', jwk: key.jwk };
    const prove = (claims) => {
      const { iat, jti } = freshClaims();
      return key.sign(header, { htm: 'POST', htu: issuer + route, iat, jti, ...claims });
    };
    const fields = withSecret(client);
    return {
      async makeRequests(count) {
        const nonce = await readNonce(issuer, fields, prove({}));
        return repeat(count, () => ({ fields, headers: { dpop: prove({ nonce }) } }));
      },
    };
  },

  'ES256 audience': (context) => audienceFields(context, 'ES256'),
  'RS256 audience': (context) => audienceFields(context, 'RS256'),
};

const repeat = (length, make) => Array.from({ length }, make);

const withSecret = ({ id, secret }, wanted = scope) => ({
  ...{ client_id: id, client_secret: secret, scope: wanted },
});

const assertionFields = (assertion) => ({
  ...{ scope, client_assertion_type: assertionType, client_assertion: assertion },
});

/** Adds an audience whose tokens are signed with `alg`, and a client of it. */
async function audienceFields({ call }, alg) {
  const identifier = `https://${alg.toLowerCase()}.example.com`;
  const { id } = await call('POST', '/audiences', { identifier, name: alg, signing_alg: alg });
  const { signing_keys: keys } = await call('GET', '/signing-keys');
  const { kid } = keys.find((key) => key.alg === alg);
  await call('POST', `/signing-keys/${kid}:activate`, { force: true });
  const settings = { name: alg, scopes: scope.split(' '), audience_ids: [id] };
  const { client, client_secret: secret } = await call('POST', '/clients', settings);
  return { fields: withSecret({ id: client.id, secret }) };
}

/** A proof without a nonce is refused with a nonce. */
async function readNonce(issuer, fields, dpop) {
  const headers = { 'content-type': 'application/json', dpop };
  const body = JSON.stringify(fields);
  const response = await fetch(issuer + route, { method: 'POST', headers, body });
  return response.headers.get('dpop-nonce');
}

function freshClaims() {
  const iat = Math.floor(Date.now() / 1000);
  return { iat, exp: iat + 120, jti: randomUUID() };
}

/** The key of a caller. Callers sign with ES256, which all of these ways accept. */
function newKey() {
  const { publicKey, privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return {
    jwk: publicKey.export({ format: 'jwk' }),
    sign(header, claims) {
      const text = `${encode({ alg: 'ES256', ...header })}.${encode(claims)}`;
      const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
      return `${text}.${signature.toString('base64url')}`;
    },
  };
}

async function measure(parent, options) {
  const folder = await mkdtemp(path.join(parent, 'grants-'));
  const service = await startService(folder);
  const port = service.ports.HTTP;
  const { token: staffToken, call } = await signIn(service);
  const sides = [];
  for (const [name, prepare] of Object.entries(ways)) {
    const { fields, makeRequests } = await prepare({ ...service, staffToken, call });
    const { seconds } = options;
    const load = await (makeRequests === undefined
      ? createHttpLoad({ folder, name, route, fields })
      : createFreshHttpLoad({ folder, name, port, route, seconds, makeRequests }));
    sides.push({ name, port, server: service.server, load, rounds: [], peakBytes: 0 });
  }
  process.stdout.write('grants ');
  await runRounds(sides, options);
  await stopAll();
  process.stdout.write(`\n\n${serverTable([{ name: 'POST /tokens', servers: sides }])}\n`);
  return verdictOf('grants', [noErrors(sides)]);
}

// A longer run could outlast the token that is exchanged.
export const grants = { name: 'grants', defaults: { rounds: 5, seconds: 2 }, measure };
