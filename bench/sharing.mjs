// Measures rooms, watermarks and previews of Office files: see bench/README.md, "Sharing".
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { tsImport } from 'tsx/esm/api';
import { stopAll } from './processes.mjs';
import { startService } from './service.mjs';
import SQLite from './sqlite.mjs';

const { makeDeck } = await tsImport('../test/support/deck-pdf.ts', import.meta.url);
const { makePresentation } = await tsImport('../test/support/office-files.ts', import.meta.url);

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '50' } } });
const rounds = Number(values.rounds);
if (!(Number.isInteger(rounds) && rounds >= 1)) {
  throw new Error('--rounds must be a positive integer');
}
const entries = 10_000;
const entriesMsMax = 100;
const stampedPages = 300;
const stampedSecondsMax = 2;
const slides = 60;
/** How long a preview may take. */
const previewMs = 120_000;

const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-sharing-'));
try {
  // Fails without LibreOffice.
  const presentation = await makePresentation(slides);
  const service = await startService(folder);
  const api = openApi(service);
  console.log(`| call, ${entries} entries | p50 | p99 | target of p50 |\n|---|---|---|---|`);
  await measureRoom(api, path.join(folder, 'data/latchkey.db'));
  console.log('\n| file | time | target |\n|---|---|---|');
  await measureStamps(api, 'without pictures', { max: stampedSecondsMax });
  await measureStamps(api, 'with pictures', { picture: { width: 700, height: 300 } });
  await measurePreview(api, presentation);
} finally {
  await stopAll();
  await rm(folder, { recursive: true, force: true });
}

/** Calls the API with the API key of the workspace. */
function openApi({ issuer, apiKey }) {
  const authorization = `Bearer ${apiKey}`;
  async function send(method, route, body, headers = {}) {
    const response = await fetch(`${issuer}/api/v1${route}`, {
      method,
      headers: { authorization, ...headers },
      body,
    });
    if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
    return response.json();
  }
  return {
    get: (route) => send('GET', route),
    post: (route, message) =>
      send('POST', route, JSON.stringify(message), { 'content-type': 'application/json' }),
    upload(bytes, name, fields = {}) {
      const form = new FormData();
      for (const [field, value] of Object.entries(fields)) form.set(field, value);
      form.set('file', new Blob([bytes]), name);
      return send('POST', '/documents', form);
    },
  };
}

/** Returns a function that requests an address as a reader of the link. */
async function openReader({ url }) {
  const page = await fetch(url);
  const cookie = page.headers.getSetCookie().map((line) => line.replace(/;.*/, ''));
  return async (route = '') => {
    const response = await fetch(url + route, { headers: { cookie: cookie.join('; ') } });
    if (!response.ok) throw new Error(`${url + route}: ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  };
}

async function measureRoom(api, file) {
  const root = await api.post('/folders', { name: 'Large' });
  const { id } = await api.upload(Buffer.from('Report'), '00000.txt', { folder_id: root.id });
  fillFolder(file, id);
  const read = await openReader(await api.post('/links', { folder_id: root.id }));
  const list = `/documents?folder_id=${root.id}&page_size=200`;
  const calls = [
    ['the first page of the room', () => read(), entriesMsMax],
    ['the first 200 documents, API', () => api.get(list), entriesMsMax],
    ['a search in the room', () => read('?query=09999')],
  ];
  for (const [name, call, max] of calls) {
    const times = [];
    for (let i = 0; i < 5; i++) await call();
    for (let i = 0; i < rounds; i++) times.push(await millisecondsOf(call));
    times.sort((a, b) => a - b);
    const at = (part) => Math.round(times[Math.floor((times.length - 1) * part)]);
    console.log(`| ${name} | ${at(0.5)} ms | ${at(0.99)} ms | ${verdictOf(at(0.5), max, 'ms')} |`);
  }
}

/** Copies the row of a document, because 10,000 uploads would take minutes. */
function fillFolder(file, id) {
  const db = new SQLite(file);
  const row = db.prepare('select * from documents where id = ?').get(id);
  const columns = Object.keys(row);
  const insert = db.prepare(
    `insert into documents (${columns}) values (${columns.map((column) => `@${column}`)})`,
  );
  db.transaction(() => {
    for (let i = 1; i < entries; i++) {
      const number = String(i).padStart(5, '0');
      insert.run({
        ...row,
        id: `doc_${number}${id.slice(9)}`,
        blob_id: `${number}${row.blob_id.slice(5)}`,
        name: `${number} Annual report.txt`,
      });
    }
  })();
  db.close();
}

async function measureStamps(api, name, { picture, max }) {
  const deck = makeDeck({ pages: stampedPages, ...(picture && { picture }) });
  const { id } = await api.upload(deck, 'Deck.pdf');
  const link = await api.post('/links', {
    document_id: id,
    watermark: true,
    allow_download: true,
  });
  const read = await openReader(link);
  // Starts the program that stamps.
  await read('/download');
  const seconds = (await millisecondsOf(() => read('/download'))) / 1000;
  console.log(
    `| PDF ${name}, ${stampedPages} pages, ${(deck.length / 1e6).toFixed(1)} MB: stamped and sent ` +
      `| ${seconds.toFixed(1)} s, ${((1000 * seconds) / stampedPages).toFixed(1)} ms a page ` +
      `| ${verdictOf(seconds, max, 's')} |`,
  );
}

async function measurePreview(api, bytes) {
  const started = performance.now();
  const { id } = await api.upload(bytes, 'Deck.pptx');
  for (;;) {
    const { preview } = await api.get(`/documents/${id}`);
    if (preview === 'PREVIEW_READY') break;
    if (preview === 'PREVIEW_FAILED' || performance.now() - started > previewMs) {
      throw new Error(`the preview is ${preview}`);
    }
    await sleep(50);
  }
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `| pptx of ${slides} slides: from the upload to the preview | ${seconds.toFixed(1)} s | |`,
  );
}

/** Empty without a target. */
function verdictOf(value, max, unit) {
  if (max === undefined) return '';
  if (value > max) process.exitCode = 1;
  return `${max} ${unit} ${value > max ? 'MISS' : 'PASS'}`;
}

async function millisecondsOf(call) {
  const started = performance.now();
  await call();
  return performance.now() - started;
}
