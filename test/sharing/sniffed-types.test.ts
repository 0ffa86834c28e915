import { describe, expect, it } from 'vitest';
import { openStreamTransports, postForm } from '../support/document-streams.ts';
import { startTestApp } from '../support/harness.ts';
import type { TransportName } from '../support/matrix.ts';
import { makePdf } from '../support/pdf.ts';
import { multipartBody } from '../support/raw-http.ts';
import { itHoldsFor, product } from '../support/rule.ts';
import {
  type DocumentFields,
  keyOf,
  makeLink,
  makePng,
  makeZip,
  upload,
} from '../support/sharing-api.ts';
import { transportNames } from '../support/transports.ts';
import { useStarted, useTransports } from '../support/use-started.ts';

const script = '<script>alert(1)</script>';
const svg = `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`;
const pdf = makePdf({ pages: 1, text: 'Terms' });
const gif = Buffer.from('GIF89a/*\x01\x00\x80\x00\x00', 'latin1');
/** The first bytes of each type that is shown inline. */
const signatures: [type: string, start: Buffer][] = [
  ['PDF', pdf],
  ['PNG', makePng(1, 1)],
  ['GIF', gif],
  ['JPEG', Buffer.from('ffd8ffe000104a464946', 'hex')],
  ['WebP', Buffer.from('RIFF\x24\x00\x00\x00WEBPVP8 ', 'latin1')],
];
/** Placeholders for the size at the beginning of an AVIF file. */
const likeAvif = (start: string) => Buffer.from(`${start}ftypavif${script}`);

/** Texts, which browsers receive as plain text. */
const texts: [what: string, bytes: Buffer, type: string][] = [
  ['SVG', Buffer.from(svg), 'text/plain'],
  ['SVG after an XML declaration', Buffer.from(`<?xml version="1.0"?>${svg}`), 'application/xml'],
  ['HTML', Buffer.from(`<!doctype html>${script}`), 'text/plain'],
  ['HTML after white space', Buffer.from(`\r\n\t ${script}`), 'text/plain'],
  ['HTML after a byte order mark', Buffer.from(`\ufeff<html>${script}`), 'text/plain'],
  ['HTML in Windows-1252', Buffer.from(`<html>\xff${script}`, 'latin1'), 'text/plain'],
  ['HTML in UTF-16', Buffer.from(`\ufeff<html>${script}`, 'utf16le'), 'text/plain'],
  ['XML', Buffer.from('<?xml version="1.0"?><a/>'), 'application/xml'],
  ['text', Buffer.from('plain text\n'), 'text/plain'],
  ['text that begins like a bitmap', Buffer.from('BM is a place name'), 'text/plain'],
  ['JavaScript', Buffer.from('alert(1)'), 'text/plain'],
  ['a comment before the brand of an AVIF', likeAvif('<!--'), 'text/plain'],
  ['an element before the brand of an AVIF', likeAvif('<a b'), 'text/plain'],
  ['white space before the brand of an AVIF', likeAvif('\n\n <'), 'text/plain'],
];

/** Files that are never shown. */
const opaque: [what: string, bytes: Buffer][] = [
  ['HTML before a PDF', Buffer.concat([Buffer.from(`<html>${script}`), pdf])],
  ['text before a PDF', Buffer.concat([Buffer.from('x'.repeat(900)), pdf])],
  ['a ZIP', makeZip()],
  ['a Word document', makeZip('[Content_Types].xml', '<Override PartName="/word/document.xml"/>')],
  ['a null byte in a text', Buffer.from(`<html>\0${script}`)],
  ['a byte that Windows-1252 does not define', Buffer.from(`<html>\x9d${script}`, 'latin1')],
  ['a comment before the brand of an MP4', Buffer.from(`<!--ftypmp42\0${script}`)],
  ...signatures.map(([type, start]): [string, Buffer] => [
    `HTML before a ${type}`,
    Buffer.concat([Buffer.from('<!--'), start, Buffer.from(`-->${script}`)]),
  ]),
];

/** Names and declared types of an SVG file. */
const named: [fileName: string, declared: string, type: string][] = [
  ['notes.md', 'application/octet-stream', 'text/markdown'],
  ['NOTES.MARKDOWN', 'text/html', 'text/markdown'],
  ['data.csv', 'application/vnd.ms-excel', 'text/csv'],
  ['data.tsv', '', 'text/tab-separated-values'],
  ['data.json', 'text/html', 'application/json'],
  ['logo.svg', 'text/plain', 'image/svg+xml'],
  ['program.html', 'text/markdown', 'text/plain'],
  ['script.js', 'text/javascript', 'text/plain'],
  ['image.png', 'image/png', 'text/plain'],
  ['page.pdf', 'application/pdf', 'text/plain'],
  ['README', 'text/markdown', 'text/markdown'],
  ['.csv', 'image/svg+xml', 'image/svg+xml'],
  ['table', 'application/pdf', 'text/plain'],
];

/** Files whose first bytes have one type, and which could be read as another type. */
const shown: [what: string, bytes: Buffer, type: string][] = [
  ['a PDF with HTML after it', Buffer.concat([pdf, Buffer.from(script)]), 'application/pdf'],
  ['a GIF that is a script', Buffer.concat([gif, Buffer.from('*/=1;alert(1)')]), 'image/gif'],
  ['a PNG with HTML after it', Buffer.concat([makePng(1, 1), Buffer.from(script)]), 'image/png'],
];

/** The headers that keep a browser from running the bytes, or guessing their type. */
const inert = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
};

async function expectAttachment(response: Response, bytes: Buffer): Promise<void> {
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': expect.stringMatching(/^attachment; /),
    ...inert,
  });
  expect(bytes.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
}

describe('the type of a document', () => {
  const test = useStarted(() => startTestApp());
  const transports = useTransports(() => openStreamTransports(test.app));

  /** Every HTTP route that returns the bytes, with its answer. */
  async function downloads(id: string) {
    const link = await makeLink(test, id, { allow_download: true });
    const page = await fetch(link.url);
    await page.text();
    const cookie = page.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const open = (route: string) => fetch(link.url + route, { headers: { cookie } });
    const url = `${test.app.publicUrl}/api/v1/documents/${id}/file`;
    return {
      file: await open('/file'),
      attachments: [await open('/download'), await fetch(url, { headers: keyOf(test) })],
    };
  }

  async function uploadBy(name: TransportName, file: Buffer) {
    const transport = transports.find((one) => one.name === name);
    const answer = await transport?.upload([{ fileName: 'terms.pdf', file }], keyOf(test));
    if (answer?.ok !== true) throw new Error(`${name} has not stored it`);
    return answer.message;
  }

  itHoldsFor(product(transportNames, opaque), 36)(
    'of opaque bytes is one that browsers do not show',
    async (name, _, bytes) => {
      const { id, viewable } = await uploadBy(name, bytes);
      expect(viewable).toBe(false);

      const { file, attachments } = await downloads(id);

      expect(file.status).toBe(403);
      expect(await file.text()).not.toContain('alert');
      for (const response of attachments) await expectAttachment(response, bytes);
    },
  );

  itHoldsFor(product(transportNames, texts), 39)(
    'of any text is shown as plain text only',
    async (name, _, bytes, type) => {
      const { id, contentType, viewable } = await uploadBy(name, bytes);
      expect({ contentType, viewable }).toEqual({ contentType: type, viewable: true });

      const { file, attachments } = await downloads(id);

      expect(file.status).toBe(200);
      expect(Object.fromEntries(file.headers)).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        ...inert,
      });
      expect(bytes.equals(Buffer.from(await file.arrayBuffer()))).toBe(true);
      for (const response of attachments) await expectAttachment(response, bytes);
    },
  );

  itHoldsFor(product(transportNames, shown), 9)(
    'is detected from the first bytes, and the answer forbids sniffing',
    async (name, _, bytes, type) => {
      const { id, contentType } = await uploadBy(name, bytes);
      expect(contentType).toBe(type);

      const { file, attachments } = await downloads(id);

      expect(file.headers.get('content-disposition')).toMatch(/^inline; /);
      for (const response of [file, ...attachments]) {
        expect(response.status).toBe(200);
        expect(Object.fromEntries(response.headers)).toMatchObject({
          'content-type': type,
          ...inert,
        });
        await response.arrayBuffer();
      }
    },
  );

  itHoldsFor([
    ['image/png', 'a.png'],
    ['application/pdf', 'a.pdf'],
    ['image/svg+xml', 'a.svg'],
    ['text/html; charset=utf-7', 'a.html'],
    ['text/html', 'a'],
  ])('of HTML or a PNG is not the declared one', async (contentType, filename) => {
    for (const [body, type] of [
      [`<!doctype html>${script}`, 'text/plain'],
      [makePng(1, 1), 'image/png'],
    ] as const) {
      const form = multipartBody([{ name: 'file', filename, contentType, body }], 'frontier');
      const response = await postForm(test.app, form, keyOf(test));
      expect(await response.json()).toMatchObject({ content_type: type });
    }
  });

  itHoldsFor(named, 13)(
    'of a text follows its name and its declared type',
    async (fileName, declared, type) => {
      const file = Buffer.from(`${svg}\n`);
      const part = { name: 'file', filename: fileName, contentType: declared, body: file };
      const response = await postForm(test.app, multipartBody([part], 'frontier'), keyOf(test));
      const types = [((await response.json()) as DocumentFields).content_type];
      for (const transport of transports.filter(({ name }) => name !== 'http')) {
        const pieces = [{ file }, { contentType: declared }, { fileName }];
        const answer = await transport.upload(pieces, keyOf(test));
        types.push(answer.ok ? answer.message.contentType : answer.error.code);
      }
      expect(types).toEqual([type, type, type]);
    },
  );

  it('of SVG reaches an image, and a tab saves it', async () => {
    const document = await upload(test, Buffer.from(svg), 'logo.svg');
    const { file, attachments } = await downloads(document.id);
    expect(document).toMatchObject({ content_type: 'image/svg+xml', viewable: true });
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-disposition': 'attachment; filename=logo.svg',
      'x-content-type-options': 'nosniff',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
    });
    await file.arrayBuffer();
    for (const response of attachments) await expectAttachment(response, Buffer.from(svg));
  });
});
