// @node-oauth/oauth2-server on node:http. The package leaves clients and tokens to a model: this
// one reads clients from SQLite and signs JWTs with jose or with node:crypto.
import { createHash, generateKeyPairSync, randomUUID, sign, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import OAuth2Server from '@node-oauth/oauth2-server';
import { SignJWT } from 'jose';
import SQLite from '../sqlite.mjs';
import { listen, readSettings } from './settings.mjs';

const { port, client, scope, audience, file, signer } = readSettings();
const issuer = `http://127.0.0.1:${port}`;
const lifetimeSeconds = 300;
const signAsync = promisify(sign);
const sha256 = (text) => createHash('sha256').update(text).digest();
const encode = (json) => Buffer.from(JSON.stringify(json)).toString('base64url');

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const kid = randomUUID();
const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'EdDSA', use: 'sig' };
const header = { alg: 'EdDSA', typ: 'at+jwt', kid };

const signers = {
  jose: (claims) => new SignJWT(claims).setProtectedHeader(header).sign(privateKey),
  async crypto(claims) {
    const input = `${encode(header)}.${encode(claims)}`;
    const signature = await signAsync(null, Buffer.from(input), privateKey);
    return `${input}.${signature.toString('base64url')}`;
  },
};

const database = new SQLite(file);
database.pragma('journal_mode = WAL');
database.exec('CREATE TABLE clients (id TEXT PRIMARY KEY, digest BLOB, scope TEXT)');
const insert = database.prepare('INSERT INTO clients VALUES (?, ?, ?)');
insert.run(client.id, sha256(client.secret), scope);
const find = database.prepare('SELECT digest, scope FROM clients WHERE id = ?');

const model = {
  async getClient(id, secret) {
    const row = find.get(id);
    if (row === undefined || !timingSafeEqual(row.digest, sha256(secret))) return undefined;
    return { id, grants: ['client_credentials'], scopes: row.scope.split(' ') };
  },
  getUserFromClient: async ({ id }) => ({ id }),
  async validateScope(_, { scopes }, wanted = scopes) {
    return wanted.every((one) => scopes.includes(one)) && wanted;
  },
  generateAccessToken({ id }, _, granted) {
    const iat = Math.floor(Date.now() / 1000);
    return signers[signer]({
      iss: issuer,
      aud: audience,
      sub: id,
      client_id: id,
      scope: granted.join(' '),
      principal_type: 'service',
      iat,
      exp: iat + lifetimeSeconds,
      jti: randomUUID(),
    });
  },
  /** A JWT needs no row. */
  saveToken: async (token, of, user) => ({ ...token, client: of, user }),
};
const oauth = new OAuth2Server({ model, accessTokenLifetime: lifetimeSeconds });

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
}

async function answer(message) {
  if (message.url === '/jwks') return { body: { keys: [jwk] } };
  const { headers, method } = message;
  const request = new OAuth2Server.Request({
    headers,
    method,
    query: {},
    body: await bodyOf(message),
  });
  const response = new OAuth2Server.Response();
  // An error is in the response, too.
  await oauth.token(request, response).catch(() => {});
  return response;
}

const server = createServer(async (message, reply) => {
  const { status = 200, headers, body } = await answer(message);
  const text = JSON.stringify(body);
  reply.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  reply.end(text);
});

listen(server, port, {});
