// Starts the built service with a filled database.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { durable } from '../postgres.mjs';
import { startService } from '../service.mjs';
import { fill } from './fill.mjs';
import { openClient } from './requests.mjs';

/** Settings of a server with memory for the indexes of a million rows. */
export const likeProduction = {
  settings: [
    ...durable.settings,
    'autovacuum=on',
    'shared_buffers=1GB',
    'maintenance_work_mem=512MB',
  ],
};

export const print = (line) => process.stdout.write(`${line}\n`);
export const inMs = (ms) => ms.toFixed(ms < 10 ? 2 : 0);
export const inMiB = (bytes) => `${Math.round(bytes / 2 ** 20)} MiB`;

/** Creates an installation, fills its database and starts the service. */
export async function startFilled(context, name, options) {
  const { folder, postgres } = context;
  const url = postgres ? await postgres.createDatabase() : `sqlite:${folder}/${name}.db`;
  const settings = { LATCHKEY_DATABASE_URL: url, LATCHKEY_LOG_LEVEL: 'warn' };
  const start = () => startService(folder, { name, settings });
  const first = await start();
  const demo = await readDemo(first, path.join(folder, name));
  await first.server.stop();
  const now = Date.now();
  await fill(url, { ...options, demo, now });
  const started = performance.now();
  const service = await start();
  print(
    `started in ${inMs(performance.now() - started)} ms, ` +
      `memory ${inMiB(service.server.residentBytes())}`,
  );
  const client = openClient(service);
  const tokens = {
    staff: (await client.json('POST', '/sessions', { body: demo.staff })).access_token,
  };
  return { url, service, client, demo, now, tokens, ...options };
}

async function readDemo(service, dataDir) {
  const text = await readFile(path.join(dataDir, 'bootstrap.env'), 'utf8');
  const env = Object.fromEntries(
    Array.from(text.matchAll(/^(\w+)='(.*)'$/gm), ([, name, value]) => [name, value]),
  );
  const staff = { email: env.STAFF_EMAIL, password: env.STAFF_PASSWORD };
  const client = openClient(service);
  const key = { token: env.API_KEY };
  const session = await client.json('POST', '/sessions', { body: staff });
  const { documents } = await client.json('GET', '/api/v1/documents', key);
  const { links } = await client.json('GET', '/api/v1/links', key);
  client.close();
  return {
    staff,
    staffId: session.user.id,
    clientId: env.CLIENT_ID,
    clientSecret: env.CLIENT_SECRET,
    apiKey: env.API_KEY,
    workspaceId: env.WORKSPACE_ID,
    linkId: links?.[0]?.id ?? documents?.[0]?.id ?? '',
  };
}
