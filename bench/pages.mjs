// Measures what pages load, and when they paint and are ready: see bench/README.md, "Pages".
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, parseEnv } from 'node:util';
import { tsImport } from 'tsx/esm/api';
import { stopAll } from './processes.mjs';
import { medianOf } from './report.mjs';
import { startService } from './service.mjs';

const { sharedBrowser } = await tsImport('../test/support/browser.ts', import.meta.url);
const { makePdf } = await tsImport('../test/support/pdf.ts', import.meta.url);
const { makeDeck } = await tsImport('../test/support/deck-pdf.ts', import.meta.url);

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });
const rounds = Number(values.rounds);
if (!(Number.isInteger(rounds) && rounds >= 1)) {
  throw new Error('--rounds must be a positive integer');
}
/** A phone or an old laptop on a mobile network. */
const slowdown = 4;
const network = {
  offline: false,
  latency: 40,
  downloadThroughput: 10e6 / 8,
  uploadThroughput: 10e6 / 8,
};
/** The element that shows that a page is ready, by page. */
const screens = [
  {
    name: 'sign-in',
    path: '/console/sign-in',
    ready: 'form input[name=email], form input[type=email]',
  },
  { name: 'documents', target: 'list', ready: 'main table tbody tr', isSignedIn: true },
  { name: 'link to a PDF', target: 'report', ready: '#viewer canvas' },
  { name: 'link to a PDF of 63 MB', target: 'deck', ready: '#viewer canvas' },
  { name: 'API reference', path: '/docs', ready: 'main h2' },
];
const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-pages-'));
try {
  const service = await startService(folder);
  const env = parseEnv(await readFile(path.join(folder, 'data/bootstrap.env'), 'utf8'));
  const report = makePdf({ pages: 12, text: 'Quarterly report', pageBytes: 20_000 });
  const deck = makeDeck({ pages: 300, picture: { width: 700, height: 300 } });
  const { path: reportPath, workspaceId } = await shareDocument(service, report);
  const paths = {
    list: `/console/workspaces/${workspaceId}/documents`,
    report: reportPath,
    deck: (await shareDocument(service, deck)).path,
  };
  const browser = await sharedBrowser();
  console.log(`${slowdown} times slower processor, 10 Mbit/s, 40 ms; medians of ${rounds} rounds`);
  console.log(
    '| page | visit | files | kB | first paint, ms | ready, ms |\n|---|---|---|---|---|---|',
  );
  for (const screen of screens) {
    const runs = [];
    for (let round = 0; round < rounds; round++) {
      // A session of another context, so that the cache is empty.
      const storageState = screen.isSignedIn
        ? await signIn(browser, service.issuer, env)
        : undefined;
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        storageState,
      });
      const url = service.issuer + (screen.path ?? paths[screen.target]);
      runs.push({
        first: await load(context, url, screen),
        again: await load(context, url, screen),
      });
      await context.close();
    }
    for (const visit of ['first', 'again']) {
      const of = (key) =>
        Math.round(
          medianOf(
            runs.map((run) => run[visit]),
            key,
          ),
        );
      const kilobytes = (
        medianOf(
          runs.map((run) => run[visit]),
          'bytes',
        ) / 1e3
      ).toFixed(1);
      console.log(
        `| ${screen.name} | ${visit} | ${of('files')} | ${kilobytes} | ${of('paintMs')} ` +
          `| ${of('readyMs')} |`,
      );
    }
  }
  await browser.close();
} finally {
  await stopAll();
  await rm(folder, { recursive: true, force: true });
}

/** Returns the path of a link to the file, and the id of its workspace. */
async function shareDocument({ issuer, apiKey }, pdf) {
  const authorization = `Bearer ${apiKey}`;
  const form = new FormData();
  form.set('file', new Blob([pdf], { type: 'application/pdf' }), 'Report.pdf');
  const uploaded = await post(`${issuer}/api/v1/documents`, { authorization }, form);
  const link = await post(
    `${issuer}/api/v1/links`,
    { authorization, 'content-type': 'application/json' },
    JSON.stringify({ document_id: uploaded.id }),
  );
  return { path: new URL(link.url).pathname, workspaceId: uploaded.workspace_id };
}

async function post(url, headers, body) {
  const response = await fetch(url, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function signIn(browser, issuer, env) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${issuer}/console/sign-in`);
  await page.getByLabel('Email').fill(env.STAFF_EMAIL);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.locator('input[type=password]').fill(env.STAFF_PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('main').waitFor();
  await page.waitForLoadState('networkidle');
  const state = await context.storageState();
  await context.close();
  return state;
}

async function load(context, url, { ready }) {
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  let files = 0;
  let bytes = 0;
  cdp.on('Network.requestWillBeSent', () => files++);
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', network);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  const start = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator(ready).first().waitFor();
  const readyMs = performance.now() - start;
  await page.waitForLoadState('networkidle', { timeout: 120_000 });
  const paintMs = await page.evaluate(
    "performance.getEntriesByName('first-contentful-paint')[0].startTime",
  );
  await page.close();
  return { files, bytes, paintMs, readyMs };
}
