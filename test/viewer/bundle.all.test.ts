// The size of the first load, and its origins.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { makePdf } from '../support/pdf.ts';
import { findFailures } from '../support/rule.ts';
import { callSharingApi, makePng, makeZip } from '../support/sharing-api.ts';
import { useViewer } from '../support/viewer-suite.ts';

const { app, read, share } = useViewer();
const web = path.resolve(import.meta.dirname, '../../dist/web');

type Chunk = {
  file: string;
  css?: string[];
  imports?: string[];
  dynamicImports?: string[];
  assets?: string[];
};

/** All static imports of a chunk, recursively. */
function sharedBy(chunk: Chunk, manifest: Record<string, Chunk>, found = new Set<Chunk>()) {
  for (const name of chunk.imports ?? []) {
    const shared = manifest[name];
    if (shared === undefined || found.has(shared)) continue;
    found.add(shared);
    sharedBy(shared, manifest, found);
  }
  return found;
}

it("the viewer's own code takes at most 60 kB, and each kind of document is separate", async () => {
  const text = await readFile(path.join(web, '.vite/manifest.json'), 'utf8');
  const manifest: Record<string, Chunk> = JSON.parse(text);
  const viewer = manifest['web/viewer/viewer.ts'];
  const style = manifest['web/viewer/pages.css'];
  if (!viewer || !style) throw new Error('The manifest lacks an entry');
  const chunks = [viewer, ...sharedBy(viewer, manifest)];
  const later = chunks.flatMap(({ dynamicImports = [] }) => dynamicImports);
  const names = later.map((name) => (manifest[name]?.file ?? name).replace(/-[\w-]{8}\.js$/, ''));
  expect(names.sort()).toEqual([
    'assets/pdfjs',
    'assets/show-markdown',
    'assets/show-media',
    'assets/show-table',
    'assets/show-text',
  ]);

  const pdfjs = later.map((name) => manifest[name]?.file ?? '').find((file) => /pdfjs/.test(file));
  const engine = await readFile(path.join(web, pdfjs ?? ''));
  expect(gzipSync(engine).byteLength).toBeLessThanOrEqual(225_000);

  const own = [...chunks.map(({ file }) => file), style.file, ...(style.assets ?? [])];
  const bytes = await compressedBytes(own);
  expect(bytes).toBeGreaterThan(1000);
  expect(bytes).toBeLessThanOrEqual(60_000);

  for (const name of later.filter((one) => one.includes('/show-'))) {
    const kind = manifest[name];
    if (!kind) throw new Error(`The manifest lacks ${name}`);
    const added = [...sharedBy(kind, manifest)].filter((chunk) => !chunks.includes(chunk));
    const files = [kind, ...added].flatMap(({ file, css = [] }) => [file, ...css]);
    expect(await compressedBytes(files), name).toBeLessThanOrEqual(40_000);
  }
});

async function compressedBytes(names: readonly string[]): Promise<number> {
  const files = await Promise.all(names.map((name) => readFile(path.join(web, name))));
  return files.reduce((sum, file) => sum + gzipSync(file).byteLength, 0);
}

const scripted = makePdf({
  pages: 1,
  text: 'Harmless',
  catalogue:
    '/OpenAction << /S /JavaScript /JS (app.launchURL\\("https://www.example.com/", true\\);) >> ' +
    '/AA << /WC << /S /URI /URI (https://www.example.com/closed) >> >> ',
  annotations:
    '<< /Type /Annot /Subtype /Widget /FT /Tx /T (field) /Rect [72 600 272 630] /AA << /PO ' +
    '<< /S /SubmitForm /F (https://www.example.com/form) >> >> >> ' +
    '<< /Type /Annot /Subtype /Link /Rect [72 500 272 530] ' +
    '/A << /S /Launch /F (https://www.example.com/program) >> >>',
});

type Setting = {
  readonly bytes: Buffer;
  readonly name: string;
  readonly fields?: object;
  readonly isRevoked?: boolean;
  readonly isUnknown?: boolean;
  /** A selector that matches when the page is complete. */
  readonly stands?: string;
};

const actions = { bytes: scripted, name: 'actions.pdf' };
const settings: [string, Setting][] = [
  ['a PDF with scripts and actions', { ...actions, stands: '.page .textLayer' }],
  ['a picture', { bytes: makePng(40, 30), name: 'picture.png', stands: '.picture img' }],
  ['another file', { bytes: makeZip(), name: 'files.zip' }],
  ['a gate', { ...actions, fields: { email_required: true } }],
  ['a link that is gone', { ...actions, isRevoked: true }],
  ['a link that never was', { ...actions, isUnknown: true }],
];

it('no page sends requests to another origin', async () => {
  const { page, requests, complaints } = await read();
  const failures = await findFailures(settings, async (_, setting) => {
    const { bytes, name, fields = {}, isRevoked, isUnknown, stands } = setting;
    const link = await share(bytes, name, fields);
    if (isRevoked) await callSharingApi(app(), 'DELETE', `/links/${link.id}`);
    requests.splice(0);

    await page.goto(isUnknown ? link.url.replace(/.{22}$/, '0'.repeat(22)) : link.url);
    await page.waitForLoadState('networkidle');
    if (stands) await page.locator(stands).first().waitFor();
    await page.mouse.click(640, 400);

    expect(requests.length).toBeGreaterThan(1);
    // The viewer reports the view.
    const own = /^GET \/(s|assets)\/|^POST \/s\/\w+\/view$/;
    expect(requests.filter((request) => !own.test(request))).toEqual([]);
    // Chromium logs responses with 404 and 410.
    const ownLog = /^Failed to load resource: .* (404|410) /;
    expect(complaints.filter((complaint) => !ownLog.test(complaint))).toEqual([]);
  });
  expect(failures).toEqual([]);
});
