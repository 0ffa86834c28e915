// Clients that open streams and never read: the memory and the descriptors of the service stay
// bounded, and another client is served meanwhile.
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, Trial } from '../support/campaign.ts';
import { withRawDatabase } from '../support/databases.ts';
import { makePdf } from '../support/pdf.ts';
import {
  descriptorsOf,
  type RunningProgram,
  residentMbOf,
  startProgram,
} from '../support/program.ts';
import { createTlsFiles, openHttp1, openHttp2, type TlsClient } from '../support/tls-app.ts';

const streamsPerConnection = 100;
/** How long the clients attack, after their connections are open. */
const attackMs = 15_000;
const quietMs = 6_000;
/** Between two connections, so that the figures are not those of their handshakes. */
const connectMs = 20;
const settleMs = 2_000;
/** docs/operations.md names this bound for a process with 1,000 such connections. */
const residentMbMax = 768;
/** The attack ends above this, so that it does not harm the machine. */
const residentMbStop = 4_096;
const logoBytes = 1_000_000;
const documentBytes = 2_000_000;

export const unreadChecks = [40, 400, 1000].map(
  (connections): Check => ({
    name: `unread responses on ${connections} connections`,
    secondsMax: [90, 120],
    isLongOnly: connections > 40,
    run: (trial) => attack(trial, connections),
  }),
);

type Target = { path: string; headers: Record<string, string>; body?: string };

async function attack(trial: Trial, connections: number): Promise<void> {
  const files = await createTlsFiles();
  trial.onEnd(() => files.remove());
  const { tlsCert, tlsKey } = files.paths;
  const program = await startProgram({
    LATCHKEY_BOOTSTRAP: 'demo',
    LATCHKEY_LOG_LEVEL: 'error',
    LATCHKEY_TLS_CERT: tlsCert,
    LATCHKEY_TLS_KEY: tlsKey,
  });
  trial.onEnd(() => program.remove());
  const pid = program.child.pid ?? 0;
  const ca = files.authority.certificate;
  const url = `https://127.0.0.1:${program.httpPort}`;
  const client = openHttp1(url, ca);
  trial.onEnd(() => client.close());
  const { http, grpc } = await targetsOf(program, client);
  await measure(url, ca, 2_000);

  const resident = { before: residentMbOf(pid), peak: 0, after: 0 };
  const descriptors = { before: descriptorsOf(pid), peak: 0, after: 0 };
  const stopProgram = () => {
    clearInterval(watch);
    program.child.kill('SIGKILL');
  };
  const watch = setInterval(() => {
    resident.peak = Math.max(resident.peak, residentMbOf(pid));
    descriptors.peak = Math.max(descriptors.peak, descriptorsOf(pid));
    if (resident.peak > residentMbStop) stopProgram();
  }, 100);
  trial.onEnd(() => clearInterval(watch));
  const quiet = await measure(url, ca, quietMs);
  const grpcPort = Number(program.env.LATCHKEY_GRPC_ADDRESS.split(':')[1]);
  const ofGrpc = Math.ceil(connections / 5);
  const attackers = [
    startClients({ port: program.httpPort, connections: connections - ofGrpc, targets: http }),
    startClients({ port: grpcPort, connections: ofGrpc, targets: grpc }),
  ];
  for (const { child } of attackers) trial.onEnd(() => child.kill());
  await sleep(connections * connectMs + settleMs);
  const loaded = await measure(url, ca, attackMs);
  for (const { child } of attackers) child.kill();
  await sleep(5_000);
  clearInterval(watch);
  const isAlive = program.child.exitCode === null && program.child.signalCode === null;
  if (isAlive) {
    resident.after = residentMbOf(pid);
    descriptors.after = descriptorsOf(pid);
  }
  const counts = attackers.map((one) => one.counts());
  trial.figure('MiB', `${resident.before}/${resident.peak}/${resident.after}`);
  trial.figure('descriptors', `${descriptors.before}/${descriptors.peak}/${descriptors.after}`);
  trial.figure('quiet', describe(quiet));
  trial.figure('attacked', describe(loaded));
  trial.figure('attackers', JSON.stringify(counts));
  if (resident.peak > residentMbMax) trial.fail(`${resident.peak} MiB are resident`);
  if (descriptors.after - descriptors.before > 20) trial.fail('descriptors are left open');
  if (loaded.failed > 0) trial.fail(`${loaded.failed} calls of another client failed`);
  // A machine that runs CI may be busy, so there the times are only printed.
  const isSlowed = !trial.isShort && loaded.p99 > 2 * quiet.p99;
  if (isSlowed) trial.fail(`p99 ${loaded.p99} ms, ${quiet.p99} ms when it is quiet`);
}

/** Requests whose responses the clients do not read. */
async function targetsOf({ env, dataDir }: RunningProgram, client: TlsClient) {
  const authorization = `Bearer ${env.API_KEY}`;
  const post = async (route: string, fields: object) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const { body } = await client.send(route, {
      method: 'POST',
      headers,
      body: JSON.stringify(fields),
    });
    return JSON.parse(body.toString());
  };
  const upload = async (name: string, bytes: Uint8Array, folderId = '') => {
    const start =
      `--x\r\ncontent-disposition: form-data; name="folder_id"\r\n\r\n${folderId}\r\n` +
      `--x\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;
    const { body } = await client.send('/api/v1/documents', {
      method: 'POST',
      headers: { authorization, 'content-type': 'multipart/form-data; boundary=x' },
      body: Buffer.concat([Buffer.from(start), bytes, Buffer.from('\r\n--x--\r\n')]),
    });
    return JSON.parse(body.toString());
  };
  /** The path of a shared link, and the cookie of a reader who has opened it. */
  const share = async (fields: object): Promise<[slug: string, headers: { cookie: string }]> => {
    const { url } = await post('/api/v1/links', fields);
    const slug = new URL(url).pathname;
    const shown = await client.send(slug);
    return [slug, { cookie: String(shown.headers['set-cookie']).split(';')[0] ?? '' }];
  };
  const { id } = await upload('a.txt', Buffer.alloc(documentBytes, 'a'));
  const [slug, reader] = await share({ document_id: id });
  const folder = await post('/api/v1/folders', { name: 'Room' });
  const entry = await upload('a.txt', Buffer.alloc(documentBytes, 'a'), folder.id);
  const [room, guest] = await share({ folder_id: folder.id });
  const pages = makePdf({ pages: 20, text: 'Terms', pageBytes: documentBytes / 20 });
  const stamped = await upload('terms.pdf', pages);
  const [marked, marker] = await share({ document_id: stamped.id, watermark: true });
  await insertLogo(dataDir, env.WORKSPACE_ID);
  const html = (await client.send('/console')).body.toString();
  const method = '/latchkey.sharing.v1.DocumentService/DownloadDocument';
  const message = Buffer.concat([Buffer.from([10, id.length]), Buffer.from(id)]);
  const body = Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]);
  const call = (type: string): Target => ({
    path: method,
    headers: { authorization, 'content-type': type, te: 'trailers' },
    body: body.toString('base64'),
  });
  const get = (target: string, headers: Record<string, string> = {}): Target => ({
    path: target,
    headers,
  });
  const http = [
    get(`${slug}/file`, reader),
    get(`${room}/documents/${entry.id}/file`, guest),
    get(`${marked}/file`, marker),
    get('/openapi.json'),
    get('/logos/unread'),
    get(/src="(\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? ''),
    get(slug),
    get('/api/v1/documents', { authorization }),
    call('application/connect+proto'),
  ];
  for (const { path: each, headers, body: given } of http) {
    const sent = { method: given === undefined ? 'GET' : 'POST', headers };
    const request = given === undefined ? sent : { ...sent, body: Buffer.from(given, 'base64') };
    const { status } = await client.send(each, request);
    if (status !== 200) throw new Error(`${each} answers ${status}`);
  }
  return { http, grpc: [call('application/grpc')] };
}

async function insertLogo(dataDir: string, workspace_id: string): Promise<void> {
  const content = Buffer.alloc(logoBytes, 'a').toString('base64');
  const row = { id: 'unread', workspace_id, content_type: 'image/png', content };
  await withRawDatabase(`sqlite:${path.join(dataDir, 'latchkey.db')}`, (db) =>
    db.withTables<{ logos: typeof row }>().insertInto('logos').values(row).execute(),
  );
}

type Clients = { readonly child: ChildProcess; counts(): unknown };

function startClients(options: { port: number; connections: number; targets: Target[] }): Clients {
  const program = path.join(import.meta.dirname, '../support/unread-clients.mjs');
  const all = {
    ...options,
    address: '127.0.0.2',
    streams: streamsPerConnection,
    connectMs,
    againMax: 100,
  };
  const child = spawn(process.execPath, [program, JSON.stringify(all)]);
  let last = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    last = text.trim().split('\n').at(-1) ?? last;
  });
  return { child, counts: () => JSON.parse(last || '{}') };
}

type Window = { p50: number; p99: number; calls: number; failed: number };

const describe = ({ p50, p99, calls, failed }: Window) =>
  `p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms, ${failed} of ${calls} failed`;

/** Measures a client that reads what it asks for. */
async function measure(url: string, ca: string, durationMs: number): Promise<Window> {
  const end = performance.now() + durationMs;
  const times: number[] = [];
  let failed = 0;
  const clients = [openHttp1(url, ca), openHttp2(url, ca)];
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        const started = performance.now();
        const answer = await Promise.race([
          client.send('/.well-known/jwks.json').catch(() => undefined),
          sleep(10_000, undefined, { ref: false }),
        ]);
        if (answer?.status !== 200) failed++;
        times.push(performance.now() - started);
        await sleep(10);
      }
      client.close();
    }),
  );
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), calls: times.length, failed };
}
