// Starts the built service with its default settings, and the floors.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { startServer } from './processes.mjs';
import { profileEnvironment } from './profile/profile.mjs';

const root = path.resolve(import.meta.dirname, '..');

/** The program of the service that is built in the folder `build`. */
export const programOf = (build = root) => path.join(build, 'dist/src/main.js');

/**
 * `name`: the name of the data folder. Nodes with the same database can share one. `settings`:
 * overrides of the default settings. `build`: the folder of the repository with the built service.
 * `isProfiled`: whether its main thread can be profiled. `profileKind`: see `profileEnvironment`.
 */
export async function startService(folder, options = {}) {
  const { name = 'data', settings = {}, build = root, isProfiled = false } = options;
  const { profileKind } = options;
  const dataDir = path.join(folder, name);
  const profileFile = path.join(folder, `${name}.cpuprofile`);
  const server = await startServer({
    script: programOf(build),
    words: ['serve'],
    env: {
      ...environmentOf(dataDir),
      ...settings,
      ...(isProfiled && profileEnvironment(profileFile, profileKind)),
    },
    logFile: path.join(folder, `${name}.log`),
  });
  const text = await readFile(path.join(dataDir, 'bootstrap.env'), 'utf8');
  const env = Object.fromEntries(
    Array.from(text.matchAll(/^(\w+)='(.*)'$/gm), ([, name, value]) => [name, value]),
  );
  const ports = {
    HTTP: settings.LATCHKEY_HTTP_ADDRESS?.split(':')[1] ?? new URL(env.LATCHKEY_BASE_URL).port,
    gRPC: env.LATCHKEY_GRPC_ADDRESS.split(':')[1],
  };
  const client = { id: env.CLIENT_ID, secret: env.CLIENT_SECRET };
  const key = env.CUSTOMER_API_KEY;
  return {
    name: 'Latchkey',
    server: { ...server, profileFile, root: build },
    issuer: env.LATCHKEY_BASE_URL,
    client,
    apiKey: env.API_KEY,
    staff: { email: env.STAFF_EMAIL, password: env.STAFF_PASSWORD },
    customer: { key, id: await customerIdOf(env), accounts: env.CUSTOMER_ACCOUNTS.split(',') },
    ports,
  };
}

/** The settings of a service on free ports of the loopback interface. The others are the defaults. */
export const environmentOf = (dataDir) => ({
  LATCHKEY_DATA_DIR: dataDir,
  LATCHKEY_HTTP_ADDRESS: '127.0.0.1:0',
  LATCHKEY_GRPC_ADDRESS: '127.0.0.1:0',
  LATCHKEY_OPS_ADDRESS: '127.0.0.1:0',
  // The default differs with PostgreSQL.
  LATCHKEY_BOOTSTRAP: 'demo',
  // No load balancer needs time to notice the stop.
  LATCHKEY_DRAIN_SECONDS: '0',
});

/** Reads the customer's id from a token. */
async function customerIdOf(env) {
  const token = await post(env, '/tokens/api-key', { api_key: env.CUSTOMER_API_KEY });
  return JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()).sub;
}

/** Issues a token to the service's client. */
export function issueToken({ issuer, client }, scope) {
  const fields = { client_id: client.id, client_secret: client.secret, scope };
  return post({ LATCHKEY_BASE_URL: issuer }, '/tokens', fields);
}

/** Signs the staff user in. Returns the user's token, and calls the API with it. */
export async function signIn({ issuer, staff }) {
  const token = await post({ LATCHKEY_BASE_URL: issuer }, '/sessions', staff);
  const call = (method, route, body) =>
    send(issuer + route, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return { token, call };
}

async function post({ LATCHKEY_BASE_URL }, route, fields) {
  const answer = await send(LATCHKEY_BASE_URL + route, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  });
  return answer.access_token;
}

async function send(url, request) {
  const response = await fetch(url, request);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** `transport` is `HTTP` or `gRPC`. */
export async function startFloor({ transport, folder, service, isProfiled }) {
  const name = transport.toLowerCase();
  const { issuer, client, customer } = service;
  const jwks = await (await fetch(`${issuer}/.well-known/jwks.json`)).json();
  const file = path.join(folder, `floor-${name}.db`);
  const profileFile = path.join(folder, `floor-${name}.cpuprofile`);
  const started = await startServer({
    script: path.join(import.meta.dirname, `floors/${name}.mjs`),
    env: {
      FLOOR_SETTINGS: JSON.stringify({ file, client, customer, issuer, jwks }),
      ...(isProfiled && profileEnvironment(profileFile)),
    },
    logFile: path.join(folder, `floor-${name}.log`),
  });
  const server = { ...started, profileFile, root };
  return { name: 'floor', server, ports: { [transport]: /ready: (\d+)/.exec(server.said)[1] } };
}
