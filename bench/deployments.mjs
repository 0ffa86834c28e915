// Starts deployments of one or two workers or nodes on one PostgreSQL, and creates their loads.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { IssuanceService } from '../dist/gen/latchkey/identity/v1/issuance_pb.js';
import { createGrpcLoad } from './loads/h2load.mjs';
import { createHttpLoad, createPageLoad } from './loads/wrk.mjs';
import { freePort } from './nginx.mjs';
import { issueToken, startService } from './service.mjs';

const scope = 'accounts:read payments:write';
const issue = IssuanceService.methods.find(({ name }) => name === 'IssueToken');
const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);

/**
 * Starts a deployment with its own database. `ports`: the nodes that the load generators use, one
 * for each generator.
 */
export async function startDeployment(parent, { postgres, name, nodes, workers, generators }) {
  const folder = path.join(parent, name);
  await mkdir(folder);
  const settings = {
    LATCHKEY_DATABASE_URL: await postgres.createDatabase(),
    LATCHKEY_WORKERS: String(workers),
  };
  const services = [await startService(folder, { settings })];
  while (services.length < nodes) {
    const address = `127.0.0.1:${await freePort()}`;
    // All nodes issue and accept tokens with the same `iss`.
    const own = { LATCHKEY_HTTP_ADDRESS: address, LATCHKEY_PUBLIC_URL: services[0].issuer };
    services.push(await startService(folder, { settings: { ...settings, ...own } }));
  }
  const servers = services.map(({ server }) => server);
  return {
    name: name.replace('-', ' '),
    folder,
    service: services[0],
    ports: Array.from({ length: generators }, (_, i) => services[i % nodes].ports),
    server: {
      peakBytes: () => sum(servers.map((server) => server.peakBytes())),
      clearLog() {
        for (const server of servers) server.clearLog();
      },
      usage() {
        const all = servers.map((server) => server.usage());
        return {
          micros: sum(all.map(({ micros }) => micros)),
          mains: Object.assign({}, ...all.map(({ mains }) => mains)),
          postgres: postgres.micros(),
        };
      },
    },
  };
}

/** The loads, by name: `{transport, create}`. */
export const loads = {
  'issue-http': {
    transport: 'HTTP',
    create: ({ client }, folder) =>
      createHttpLoad({
        folder,
        name: 'issue',
        route: '/tokens',
        fields: { client_id: client.id, client_secret: client.secret, scope },
      }),
  },
  'exchange-http': {
    transport: 'HTTP',
    create: ({ customer }, folder) =>
      createHttpLoad({
        folder,
        name: 'exchange',
        route: '/tokens/api-key',
        fields: { api_key: customer.key, scope: 'accounts:read payments:read' },
      }),
  },
  'verify-http': {
    transport: 'HTTP',
    create: async (service, folder) =>
      createHttpLoad({
        folder,
        name: 'verify',
        route: '/tokens/verify',
        headers: { authorization: `Bearer ${await issueToken(service, 'tokens:read')}` },
        fields: { token: await issueToken(service, scope) },
        isGood: ({ active }) => active === true,
      }),
  },
  'link-page': { transport: 'HTTP', create: createLinkLoad },
  'issue-grpc': {
    transport: 'gRPC',
    create: ({ client }, folder) =>
      createGrpcLoad({
        folder,
        name: 'issue',
        method: issue,
        fields: { clientId: client.id, clientSecret: client.secret, scope },
        isGood: ({ accessToken }) => accessToken !== '',
      }),
  },
};

/** Requests the HTML of a link, for a visitor who has already opened it. */
async function createLinkLoad({ issuer, apiKey }) {
  const headers = { authorization: `Bearer ${apiKey}` };
  const call = async (method, route, body) => {
    const url = `${issuer}/api/v1${route}`;
    const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${route}: ${await response.text()}`);
    return response.json();
  };
  headers['content-type'] = 'application/json';
  const { documents } = await call('GET', '/documents');
  const [{ id, name }] = documents;
  const { url } = await call('POST', '/links', { document_id: id });
  const route = new URL(url).pathname;
  const response = await fetch(issuer + route);
  const cookies = response.headers.getSetCookie().map((text) => text.split(';')[0]);
  if (cookies.length === 0) throw new Error(`${route} answered without a cookie`);
  return createPageLoad({ route, headers: { cookie: cookies.join('; ') }, text: name });
}
