// Compares each way to get a token with the plain one: client credentials with a secret. All use the
// same service in the same rounds. Then measures the heap that a request of each way allocates.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createTlsLoad } from './loads/tls.mjs';
import { createFreshHttpLoad, createHttpLoad } from './loads/wrk.mjs';
import { freePort } from './nginx.mjs';
import { runTool, startServer, stopAll } from './processes.mjs';
import { profileEnvironment, recordAllocations } from './profile/profile.mjs';
import { noErrors, serverTable, verdictOf } from './report.mjs';
import { environmentOf, programOf, signIn, startService } from './service.mjs';
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

/** Starts a node with TLS on the same database. Returns its sides. */
async function startTls(folder, { client }, call, kind) {
  const name = `tls-${kind}`;
  const san = 'spiffe://bench/client';
  const server = await newCertificate(folder, `${name}-server`, 'IP:127.0.0.1');
  const own = await newCertificate(folder, `${name}-client`, `URI:${san}`);
  await call('PATCH', `/clients/${client.id}`, { tls_client_auth_san_uri: san });
  const port = await freePort();
  const profileFile = path.join(folder, `${name}.profile`);
  const node = await startServer({
    script: programOf(),
    words: ['serve'],
    env: {
      ...environmentOf(path.join(folder, 'data')),
      LATCHKEY_HTTP_ADDRESS: `127.0.0.1:${port}`,
      ...{ LATCHKEY_TLS_CERT: server.certFile, LATCHKEY_TLS_KEY: server.keyFile },
      LATCHKEY_HTTP_CLIENT_CA: own.certFile,
      ...(kind === 'heap' && profileEnvironment(profileFile, kind)),
    },
    logFile: path.join(folder, `${name}.log`),
  });
  const { cert: ca } = server;
  const certified = { ca, cert: own.cert, key: own.key };
  return [
    ['plain over TLS', { ca }, withSecret(client)],
    ['certificate', certified, { client_id: client.id, scope }],
  ].map(([name, tls, fields]) => {
    const load = createTlsLoad({ route, fields, tls });
    return { name, port, server: { ...node, profileFile }, load, rounds: [], peakBytes: 0 };
  });
}

/** A self-signed certificate, which is its own authority. */
async function newCertificate(folder, name, san) {
  const [certFile, keyFile] = ['crt', 'key'].map((end) => path.join(folder, `${name}.${end}`));
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${san}`];
  const files = ['-keyout', keyFile, '-out', certFile];
  await runTool('openssl', ['req', '-x509', '-days', '2', ...key, ...subject, ...files]);
  const [cert, text] = await Promise.all([certFile, keyFile].map((file) => readFile(file)));
  return { certFile, keyFile, cert, key: text };
}

/** Starts nodes on a new database. Returns a side for each way. `kind`: `time` or `heap`. */
async function startSides(parent, options, kind) {
  const folder = await mkdtemp(path.join(parent, `grants-${kind}-`));
  const profiled = { isProfiled: kind === 'heap', profileKind: kind };
  const service = await startService(folder, profiled);
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
  return { plain: sides, overTls: await startTls(folder, service, call, kind) };
}

async function measure(parent, options) {
  const { plain, overTls } = await startSides(parent, options, 'time');
  const sides = [...plain, ...overTls];
  process.stdout.write('grants ');
  await runRounds(sides, options);
  await stopAll();
  const tables = [
    { name: 'POST /tokens', servers: plain },
    { name: 'POST /tokens over TLS', servers: overTls },
  ];
  process.stdout.write(`\n\n${serverTable(tables)}\n${await measureHeap(parent, options)}\n`);
  return verdictOf('grants', [noErrors(sides)]);
}

/** Returns a table of the bytes that a request of each way allocates, in separate nodes. */
async function measureHeap(parent, options) {
  const { plain, overTls } = await startSides(parent, options, 'heap');
  const lines = ['heap allocated by the main thread, KiB per request'];
  for (const { name, port, server, load } of [...plain, ...overTls]) {
    await load.prepareRound?.();
    await load.run(port, options.warmUpSeconds);
    await load.prepareRound?.();
    const bytes = await recordAllocations(server, () => load.run(port, options.seconds));
    lines.push(`  ${name.padEnd(20)}${(bytes / 1024).toFixed(1).padStart(10)}`);
  }
  await stopAll();
  return lines.join('\n');
}

// A longer run could outlast the token that is exchanged.
export const grants = { name: 'grants', defaults: { rounds: 5, seconds: 2 }, measure };
