// The two sides of a run: the service as it is built, on its defaults, and the floors.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { startServer } from './processes.mjs';

const root = path.resolve(import.meta.dirname, '..');

/** `name` is that of its folder; `settings` are those that are not the defaults. */
export async function startService(folder, { name = 'data', settings = {} } = {}) {
  const dataDir = path.join(folder, name);
  const server = await startServer({
    script: path.join(root, 'dist/src/main.js'),
    env: {
      LATCHKEY_DATA_DIR: dataDir,
      LATCHKEY_HTTP_ADDRESS: '127.0.0.1:0',
      LATCHKEY_GRPC_ADDRESS: '127.0.0.1:0',
      LATCHKEY_OPS_ADDRESS: '127.0.0.1:0',
      ...settings,
    },
    logFile: path.join(folder, `${name}.log`),
  });
  const text = await readFile(path.join(dataDir, 'bootstrap.env'), 'utf8');
  const env = Object.fromEntries(
    Array.from(text.matchAll(/^(\w+)='(.*)'$/gm), ([, name, value]) => [name, value]),
  );
  const client = { id: env.CLIENT_ID, secret: env.CLIENT_SECRET };
  const key = env.CUSTOMER_API_KEY;
  return {
    name: 'Latchkey',
    server,
    issuer: env.LATCHKEY_BASE_URL,
    client,
    apiKey: env.API_KEY,
    customer: { key, id: await customerIdOf(env), accounts: env.CUSTOMER_ACCOUNTS.split(',') },
    ports: {
      HTTP: new URL(env.LATCHKEY_BASE_URL).port,
      gRPC: env.LATCHKEY_GRPC_ADDRESS.split(':')[1],
    },
  };
}

/** A token tells whose the key is. */
async function customerIdOf(env) {
  const token = await post(env, '/tokens/api-key', { api_key: env.CUSTOMER_API_KEY });
  return JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()).sub;
}

/** A token of the service for its client. */
export function issueToken({ issuer, client }, scope) {
  const fields = { client_id: client.id, client_secret: client.secret, scope };
  return post({ LATCHKEY_BASE_URL: issuer }, '/tokens', fields);
}

async function post({ LATCHKEY_BASE_URL }, route, fields) {
  const response = await fetch(LATCHKEY_BASE_URL + route, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  });
  const { access_token } = await response.json();
  return access_token;
}

/** `door` is `HTTP` or `gRPC`. */
export async function startFloor({ door, folder, service }) {
  const name = door.toLowerCase();
  const { issuer, client, customer } = service;
  const jwks = await (await fetch(`${issuer}/.well-known/jwks.json`)).json();
  const file = path.join(folder, `floor-${name}.db`);
  const server = await startServer({
    script: path.join(import.meta.dirname, `floors/${name}.mjs`),
    env: { FLOOR_SETTINGS: JSON.stringify({ file, client, customer, issuer, jwks }) },
    logFile: path.join(folder, `floor-${name}.log`),
  });
  return { name: 'floor', server, ports: { [door]: /ready: (\d+)/.exec(server.said)[1] } };
}
