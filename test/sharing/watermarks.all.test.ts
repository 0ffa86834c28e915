// The option `watermark` of a link: no route sends the bytes of the original.
import { expect, it } from 'vitest';
import { describeApp, describeAppOnSqlite, type Suite } from '../support/app-suite.ts';
import { makeFolder, makeRoom, uploadInto } from '../support/folder-calls.ts';
import { Visitor } from '../support/gate-visitor.ts';
import { makeLockedPdf } from '../support/locked-pdf.ts';
import { makeWav } from '../support/media-files.ts';
import { makePdf } from '../support/pdf.ts';
import { readPages } from '../support/pdf-text.ts';
import { findFailures } from '../support/rule.ts';
import {
  callSharingApi,
  type DocumentFields,
  type LinkFields,
  makeLink,
  makePng,
  makeZip,
  sha256,
  upload,
} from '../support/sharing-api.ts';

const pdf = makePdf({ pages: 3, text: 'Terms' });

/** The status of the bytes, and the kind of file that the viewer shows. */
const files: [name: string, bytes: Buffer, status: number, kind: string][] = [
  ['terms.pdf', pdf, 200, 'pdf'],
  ['plan.png', makePng(40, 30), 200, 'pdf'],
  ['locked.pdf', makeLockedPdf('Terms', 'secret'), 409, 'pdf'],
  ['broken.pdf', pdf.subarray(0, 40), 409, 'pdf'],
  ['notes.txt', Buffer.from('Notes'), 403, 'other'],
  ['notes.md', Buffer.from('# Notes\n\nText'), 403, 'other'],
  ['drawing.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 403, 'other'],
  ['photo.webp', Buffer.from('RIFF\x24\0\0\0WEBPVP8 ', 'latin1'), 403, 'other'],
  ['loop.gif', Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1'), 403, 'other'],
  ['call.wav', makeWav(1), 403, 'other'],
  ['files.zip', makeZip(), 403, 'other'],
];

const etagOf = (bytes: Buffer) => `"${sha256(bytes)}"`;

const conditionsOf = (bytes: Buffer): Record<string, string>[] => [
  { range: 'bytes=0-0' },
  { range: `bytes=${bytes.length - 1}-` },
  { range: 'bytes=0-9', 'if-range': etagOf(bytes) },
  { 'if-none-match': etagOf(bytes) },
  { 'if-match': etagOf(bytes) },
];

/** One for each status. */
const inRoom = ['terms.pdf', 'locked.pdf', 'notes.txt'];

const routes = ['/file', '/versions/1/file', '/download'];

async function bytesOf(visitor: Visitor, url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers: { cookie: visitor.cookie, ...headers } });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

async function entered(link: LinkFields, email = 'reader@example.com'): Promise<Visitor> {
  const visitor = new Visitor(link);
  await visitor.get();
  if (link.email_required) await visitor.post({ email });
  return visitor;
}

describeAppOnSqlite('a link with a watermark', (suite: Suite) => {
  const test = () => suite.testApp;

  type Case = readonly [
    ...(typeof files)[number],
    link: LinkFields,
    at: string,
    route: string,
    condition: Record<string, string>,
  ];

  it('never sends the original from a route with bytes', { timeout: 240_000 }, async () => {
    const options = { allow_download: true, email_required: true, watermark: true };
    const folder = await makeFolder(test(), 'Deal');
    const room = await makeRoom(test(), folder.id, options);
    const cases: Case[] = [];
    for (const file of files) {
      const [name, bytes] = file;
      const document = await upload(test(), bytes, name);
      const link = await makeLink(test(), document.id, options);
      const entry = (await uploadInto(test(), folder.id, { name, bytes })).body;
      const at = `${room.url}/documents/${entry.id}`;
      for (const route of routes) {
        cases.push([...file, link, link.url, route, {}]);
        if (inRoom.includes(name)) cases.push([...file, room, at, route, {}]);
      }
      for (const condition of name === 'terms.pdf' ? conditionsOf(bytes) : []) {
        cases.push([...file, link, link.url, '/file', condition]);
      }
    }
    const visitors = new Map<LinkFields, Visitor>();
    const check = async (...[name, original, status, kind, link, at, route, condition]: Case) => {
      const visitor = visitors.get(link) ?? (await entered(link));
      visitors.set(link, visitor);
      const page = await bytesOf(visitor, at);
      const html = page.bytes.toString();
      expect(html).toContain(`data-kind="${kind}"`);
      expect(html.includes('Download</a>')).toBe(status !== 403);
      const { response, bytes } = await bytesOf(visitor, at + route, condition);
      expect(response.status).toBe(status);
      expect(sha256(bytes)).not.toBe(sha256(original));
      expect(bytes.includes(original)).toBe(false);
      const headers = JSON.stringify([...response.headers]);
      expect(headers).not.toContain(sha256(original));
      expect(headers).toContain('no-store');
      if (status !== 200) return;
      expect(headers).toContain(name.replace(/\.\w+$/, '.pdf'));
      for (const { lines } of await readPages(bytes)) {
        const marks = lines.filter(({ text }) => text.startsWith('reader@example.com · 20'));
        expect(marks).toHaveLength(4);
        expect(marks[0]?.text).toContain(` UTC · ${link.id}`);
      }
    };
    expect(await findFailures(cases, check)).toEqual([]);
    expect(cases).toHaveLength(files.length * 3 + inRoom.length * 3 + 5);
  });
});

describeApp('the watermark of a link', (suite) => {
  const test = () => suite.testApp;
  const call = <T = LinkFields>(method: string, route: string, body?: unknown) =>
    callSharingApi<T>(test(), method, route, body);

  it('names a reader without an address Anonymous, and answers HEAD without stamping', async () => {
    const { id } = await upload(test(), pdf, 'terms.pdf');
    const link = await makeLink(test(), id, { watermark: true, show_title: false });
    const visitor = await entered(link);
    const { response, bytes } = await bytesOf(visitor, `${link.url}/file`);
    const [page] = await readPages(bytes);
    expect(page?.lines.at(-1)?.text).toMatch(/^Anonymous · [\d-]{10} [\d:]{5} UTC · lnk_/);
    expect(response.headers.get('content-disposition')).toContain('Document.pdf');
    expect(response.headers.get('accept-ranges')).toBe('none');
    const init = { method: 'HEAD', headers: { cookie: visitor.cookie } };
    const head = await fetch(`${link.url}/file`, init);
    expect([head.status, head.headers.get('etag')]).toEqual([200, null]);
    expect((await fetch(`${link.url}/download`, init)).status).toBe(403);
  });

  it('is an option of new links, batches, updates and the defaults of the workspace', async () => {
    const { id: document_id } = await upload(test(), pdf, 'terms.pdf');
    const link = await makeLink(test(), document_id);
    expect(link).toMatchObject({ watermark: false });
    const requests = [{ document_id, recipient: 'a@example.com', watermark: true }];
    const batch = await call<{ links: LinkFields[] }>('POST', '/links:batchCreate', { requests });
    expect(batch.body.links).toMatchObject([{ watermark: true }]);
    const visitor = await entered(link);
    expect((await visitor.get('/file')).text).toBe(pdf.toString());
    const changed = await call('PATCH', `/links/${link.id}`, { watermark: true });
    expect([changed.status, changed.body]).toMatchObject([200, { watermark: true }]);
    // An open page must not mix the bytes of both files.
    expect((await visitor.get('/file', { headers: { range: 'bytes=0-9' } })).status).toBe(403);
    await visitor.get();
    const { bytes } = await bytesOf(visitor, `${link.url}/file`);
    expect(sha256(bytes)).not.toBe(sha256(pdf));
    const cleared = await call('PATCH', `/links/${link.id}`, { watermark: null });
    expect(cleared.body).toMatchObject({ watermark: false });
  });

  it('warns if the type of the document cannot have a watermark', async () => {
    const warningsOf = async ([name, bytes]: (typeof files)[number]) => {
      const document: DocumentFields = await upload(test(), bytes, name);
      const options = { watermark: true, allow_download: true };
      const link = await makeLink(test(), document.id, options);
      return (link as LinkFields & { warnings: string[] }).warnings;
    };
    const warned = await Promise.all(files.map(warningsOf));
    expect(warned.map(({ length }) => length)).toEqual([0, 0, 0, 0, ...Array(7).fill(1)]);
    expect(new Set(warned.flat())).toEqual(new Set(['LINK_WARNING_NOTHING_TO_OPEN']));
  });

  it('counts a view only for a reader who gets stamped pages', async () => {
    const { id } = await upload(test(), makeLockedPdf('Terms', 'secret'), 'locked.pdf');
    const link = await makeLink(test(), id, { watermark: true, view_limit: 1 });
    const visitor = await entered(link);
    for (let i = 0; i < 3; i++) expect((await visitor.get('/file')).status).toBe(409);
    expect((await call('GET', `/links/${link.id}`)).body.view_count).toBe(0);
  });
});
