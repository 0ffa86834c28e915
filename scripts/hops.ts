// Prints the files of src/ whose code runs during one request, measured by the coverage of V8:
//   npm run hops [-- --files]
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, parseEnv } from 'node:util';
import { readConfig } from '../src/base/config/config.ts';
import { startApp } from '../src/boot/app.ts';
import { createLog } from '../src/observe/log.ts';

type Send = () => Promise<Response>;

/** How long the process is watched without a request. */
const idleMs = 1_000;

const { values: options } = parseArgs({ options: { files: { type: 'boolean' } } });
const root = path.resolve(import.meta.dirname, '..');
const dataDir = await mkdtemp(path.join(tmpdir(), 'latchkey-hops-'));
const { log, droppedLines } = createLog({ level: 'info', file: path.join(dataDir, 'log') });
const loopback = { host: '127.0.0.1', port: 0 };
const settings = { LATCHKEY_DATA_DIR: dataDir, LATCHKEY_BOOTSTRAP: 'demo' };
const config = { ...readConfig(settings), http: loopback, grpc: loopback, ops: loopback };
const app = await startApp({ config, log, droppedLines, webDir: path.join(root, 'dist/web') });
try {
  const env = parseEnv(await readFile(app.bootstrapFile, 'utf8'));
  const requests = await requestsOf(app.publicUrl, env);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  for (const { name, target, send } of requests) {
    const files = await filesOf(session, send);
    console.log(`${String(files.length).padStart(3)} files (target ${target}): ${name}`);
    if (options.files) for (const file of files) console.log(`      ${file}`);
  }
} finally {
  await app.stop();
  await rm(dataDir, { recursive: true });
}

async function requestsOf(origin: string, env: NodeJS.Dict<string>) {
  const basic = Buffer.from(`${env.CLIENT_ID}:${env.CLIENT_SECRET}`).toString('base64');
  const asClient = { authorization: `Basic ${basic}` };
  const asWorkspace = { authorization: `Bearer ${env.API_KEY}` };
  const form = { grant_type: 'client_credentials', scope: 'payments:read' };
  const issue: Send = () =>
    fetch(`${origin}/tokens`, {
      method: 'POST',
      headers: asClient,
      body: new URLSearchParams(form),
    });
  const upload: Send = () => {
    const body = new FormData();
    body.set('file', new Blob(['# Hello']), 'hello.md');
    return fetch(`${origin}/api/v1/documents`, { method: 'POST', headers: asWorkspace, body });
  };
  const { id } = await jsonOf(await upload());
  const created = await fetch(`${origin}/api/v1/links`, {
    method: 'POST',
    headers: { ...asWorkspace, 'content-type': 'application/json' },
    body: JSON.stringify({ document_id: id }),
  });
  const { url } = await jsonOf(created);
  const page = await fetch(url);
  const cookie = page.headers.getSetCookie().map((one) => one.split(';')[0]);
  const read: Send = () => fetch(`${url}/file`, { headers: { cookie: cookie.join('; ') } });
  return [
    { name: 'POST /tokens', target: 25, send: issue },
    { name: 'POST /api/v1/documents', target: 35, send: upload },
    { name: 'GET /s/<slug>/file', target: 20, send: read },
  ];
}

// biome-ignore lint/suspicious/noExplicitAny: the shape depends on the request.
async function jsonOf(response: Response): Promise<any> {
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  return response.json();
}

/** The files that run for a request, and do not run without one. */
async function filesOf(session: Session, send: Send): Promise<string[]> {
  // Fills the caches, as the requests before it do.
  for (let i = 0; i < 3; i++) await (await send()).arrayBuffer();
  await sleep(idleMs);
  const idle = await runFiles(session, () => sleep(idleMs));
  const busy = await runFiles(session, async () => {
    const response = await send();
    if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
    await response.arrayBuffer();
  });
  return [...busy].filter((file) => !idle.has(file)).sort();
}

async function runFiles(session: Session, work: () => Promise<void>): Promise<Set<string>> {
  // Starts the counts again.
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result.filter(
    ({ url, functions }) =>
      url.includes('/src/') && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
  );
  return new Set(ran.map(({ url }) => path.relative(root, fileURLToPath(url.split('?')[0] ?? ''))));
}
