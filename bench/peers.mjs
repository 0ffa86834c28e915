// Compares the service with other token servers for Node, which have their own packages in peers/.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, stat } from 'node:fs/promises';
import path from 'node:path';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { createHttpLoad } from './loads/wrk.mjs';
import { freePort } from './nginx.mjs';
import { startProgram, stopAll } from './processes.mjs';
import {
  busyTimes,
  medianOf,
  noErrors,
  otherBuild,
  ours,
  serverTable,
  verdictOf,
} from './report.mjs';
import { startFloor, startService } from './service.mjs';
import { runRounds, startOther } from './tokens.mjs';

const peersDir = path.join(import.meta.dirname, 'peers');
const scope = 'accounts:read payments:write';
const keyScope = 'accounts:read payments:read';
const audience = 'https://api.example.com';
/** `throughputMin`: the throughput of the service as a multiple of the peer's. */
const rivals = [
  { name: 'oidc-provider', program: 'oidc-provider.mjs', throughputMin: 3 },
  {
    name: 'oauth2-server, jose',
    program: 'oauth2-server.mjs',
    signer: 'jose',
    throughputMin: 1.5,
  },
  {
    name: 'oauth2-server, crypto',
    program: 'oauth2-server.mjs',
    signer: 'crypto',
    throughputMin: 1.5,
  },
  { name: 'better-auth', program: 'better-auth.mjs', throughputMin: 20 },
];

/** Installs the peers if they are missing. Returns whether they are installed. */
export async function installPeers() {
  const timeOf = (file) =>
    stat(path.join(peersDir, file)).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
  const installed = await timeOf('node_modules/.package-lock.json');
  if (installed >= (await timeOf('package-lock.json'))) return true;
  const { status } = spawnSync('npm', ['ci'], { cwd: peersDir, stdio: 'inherit' });
  return status === 0;
}

async function measure(parent, options) {
  const folder = await mkdtemp(path.join(parent, 'peers-'));
  const service = await startService(folder);
  const builds = [{ name: ours, service }];
  if (options.other !== undefined) builds.unshift(await startOther(folder, options));
  const floor = await startFloor({ transport: 'HTTP', folder, service });
  const started = {};
  for (const rival of rivals) started[rival.name] = await startPeer(rival, folder, service);
  const results = [];
  for (const [name, sides] of [
    ['client credentials', clientSides(builds, floor, started)],
    ['API key for a JWT', keySides(builds, floor, started['better-auth'])],
  ]) {
    process.stdout.write(`peers, ${name} `);
    const servers = [];
    for (const side of sides) servers.push(await withLoad(side, path.join(folder, side.name)));
    await runRounds(servers, options);
    process.stdout.write('\n');
    results.push({ name, servers });
  }
  await stopAll();
  process.stdout.write(`\n${serverTable(results)}\n`);
  return verdictOf('peers', [
    ...rivals.map((rival) => checkOf(results[0].servers, rival)),
    noErrors(results.flatMap(({ servers }) => servers)),
  ]);
}

/** Starts one of the programs in peers/. */
async function startPeer({ name, program, signer }, folder, { client }) {
  const port = await freePort();
  const file = path.join(folder, `${name}.db`);
  const settings = { port, client, scope, audience, file, signer };
  const server = await startProgram({
    command: process.execPath,
    args: [path.join(peersDir, program)],
    env: { PEER_SETTINGS: JSON.stringify(settings), NODE_ENV: 'production' },
    logFile: path.join(folder, `${name}.log`),
    isReady: (said) => /ready: (.*)\n/.exec(said)?.[1],
  });
  return { name, port, server, ...JSON.parse(server.said) };
}

/** Each program issues a token for the same form, in the way of RFC 6749 section 4.4. */
function clientSides(builds, floor, started) {
  const fieldsFor = (client) => ({
    grant_type: 'client_credentials',
    client_id: client.id,
    client_secret: client.secret,
    scope,
  });
  const own = fieldsFor(builds.at(-1).service.client);
  const betterAuth = started['better-auth'];
  return [
    { ...floorSide(floor), route: '/tokens', fields: own },
    {
      ...started['oidc-provider'],
      route: '/token',
      fields: { ...own, resource: audience },
      jwks: '/jwks',
    },
    { ...started['oauth2-server, jose'], route: '/token', fields: own, jwks: '/jwks' },
    { ...started['oauth2-server, crypto'], route: '/token', fields: own, jwks: '/jwks' },
    {
      ...betterAuth,
      route: '/api/auth/oauth2/token',
      fields: { ...fieldsFor(betterAuth.client), resource: audience },
      jwks: '/api/auth/jwks',
    },
    ...builds.map((build) => ({
      ...buildSide(build),
      route: '/tokens',
      fields: fieldsFor(build.service.client),
    })),
  ].map((side) => ({ ...side, isForm: side.jwks !== undefined, scope }));
}

/** better-auth exchanges an API key for a JWT without scopes. */
function keySides(builds, floor, peer) {
  const fieldsFor = ({ customer }) => ({ api_key: customer.key, scope: keyScope });
  const route = '/tokens/api-key';
  return [
    { ...floorSide(floor), route, fields: fieldsFor(builds.at(-1).service) },
    {
      ...peer,
      route: '/api/auth/token',
      headers: { 'x-api-key': peer.key },
      jwks: '/api/auth/jwks',
    },
    ...builds.map((build) => ({
      ...buildSide(build),
      route,
      fields: fieldsFor(build.service),
      scope: keyScope,
    })),
  ];
}

const floorSide = ({ name, server, ports }) => ({ name, server, port: ports.HTTP });

const buildSide = ({ name, service }) => ({
  name,
  server: service.server,
  port: service.ports.HTTP,
  jwks: '/.well-known/jwks.json',
});

async function withLoad(side, folder) {
  await mkdir(folder, { recursive: true });
  const { name, server, port, route, fields, headers, isForm } = side;
  const isGood = side.jwks === undefined ? undefined : await createTokenCheck(side);
  return {
    name,
    isRival: name === otherBuild || rivals.some((rival) => rival.name === name),
    server,
    port,
    load: await createHttpLoad({ folder, name, route, fields, headers, isForm, isGood }),
    rounds: [],
    peakBytes: 0,
  };
}

/** Checks that the response contains a token of the same kind, with a valid signature. */
async function createTokenCheck({ port, jwks, scope: wanted }) {
  const keys = createLocalJWKSet(await (await fetch(`http://127.0.0.1:${port}${jwks}`)).json());
  return async ({ access_token, token = access_token }) => {
    const requiredClaims = ['iss', 'aud', 'sub', 'iat', 'exp'];
    const { payload } = await jwtVerify(token, keys, { algorithms: ['EdDSA'], requiredClaims });
    return payload.scope === wanted;
  };
}

function checkOf(servers, { name, throughputMin }) {
  const [peer, service] = [name, ours].map((one) => servers.find((server) => server.name === one));
  const ratio = (key) => medianOf(service.rounds, key) / medianOf(peer.rounds, key);
  const throughput = ratio('requestsPerSecond');
  const passed = throughput >= throughputMin;
  const text =
    `throughput ${throughput.toFixed(2)} times that of ${name} (target >= ${throughputMin}), ` +
    `processor time ${ratio('cpuMicros').toFixed(2)} times`;
  return {
    passed,
    text: passed ? text : `${text}: ${busyTimes(service.rounds, peer.rounds, name)}`,
  };
}

export const peers = { name: 'peers', measure };
