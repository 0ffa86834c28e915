import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inlineContentTypes } from '../../src/http/inline-content-types.ts';
import type { TransportName } from '../support/app-suite.ts';
import {
  openStreamTransports,
  postForm,
  type StreamTransport,
} from '../support/document-streams.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { makePdf } from '../support/pdf.ts';
import { multipartBody } from '../support/raw-http.ts';
import { type DocumentFields, keyOf, makeLink, makePng, makeZip } from '../support/sharing-api.ts';
import { transportNames } from '../support/transports.ts';

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

const opaque: [what: string, bytes: Buffer][] = [
  ['SVG', Buffer.from(svg)],
  ['SVG after an XML declaration', Buffer.from(`<?xml version="1.0"?>${svg}`)],
  ['HTML', Buffer.from(`<!doctype html>${script}`)],
  ['HTML after white space', Buffer.from(`\r\n\t ${script}`)],
  ['HTML after a byte order mark', Buffer.from(`\ufeff<html>${script}`)],
  ['HTML in UTF-16', Buffer.from(`\ufeff<html>${script}`, 'utf16le')],
  ['XML', Buffer.from('<?xml version="1.0"?><a/>')],
  ['text', Buffer.from('plain text\n')],
  ['JavaScript', Buffer.from('alert(1)')],
  ['HTML before a PDF', Buffer.concat([Buffer.from(`<html>${script}`), pdf])],
  ['text before a PDF', Buffer.concat([Buffer.from('x'.repeat(900)), pdf])],
  ['a ZIP', makeZip()],
  ['a Word document', makeZip('[Content_Types].xml', '<Override PartName="/word/document.xml"/>')],
  ['a comment before the brand of an AVIF', likeAvif('<!--')],
  ['an element before the brand of an AVIF', likeAvif('<a b')],
  ['white space before the brand of an AVIF', likeAvif('\n\n <')],
  ...signatures.map(([type, start]): [string, Buffer] => [
    `HTML before a ${type}`,
    Buffer.concat([Buffer.from('<!--'), start, Buffer.from(`-->${script}`)]),
  ]),
];

/** Files whose first bytes have one type, and which could be read as another type. */
const shown: [what: string, bytes: Buffer, type: string][] = [
  ['a PDF with HTML after it', Buffer.concat([pdf, Buffer.from(script)]), 'application/pdf'],
  ['a GIF that is a script', Buffer.concat([gif, Buffer.from('*/=1;alert(1)')]), 'image/gif'],
  ['a PNG with HTML after it', Buffer.concat([makePng(1, 1), Buffer.from(script)]), 'image/png'],
];

describe('the type of a document', () => {
  let test: TestApp;
  let transports: StreamTransport[];
  beforeAll(async () => {
    test = await startTestApp();
    transports = openStreamTransports(test.app);
  });
  afterAll(async () => {
    for (const transport of transports) transport.close();
    await test.remove();
  });

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

  describe.each(transportNames)('uploaded over %s', (name) => {
    it.each(opaque)('of %s is one that browsers do not show inline', async (_, bytes) => {
      const { id, contentType } = await uploadBy(name, bytes);
      expect(inlineContentTypes).not.toContain(contentType);

      const { file, attachments } = await downloads(id);

      expect(file.status).toBe(403);
      expect(await file.text()).not.toContain('alert');
      for (const response of attachments) {
        expect(response.status).toBe(200);
        expect(Object.fromEntries(response.headers)).toMatchObject({
          'content-type': 'application/octet-stream',
          'content-disposition': 'attachment; filename=terms.pdf',
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
        });
        expect(bytes.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
      }
    });

    it.each(shown)(
      'of %s is detected from the first bytes, and the answer forbids sniffing',
      async (_, bytes, type) => {
        const { id, contentType } = await uploadBy(name, bytes);
        expect(contentType).toBe(type);

        const { file, attachments } = await downloads(id);

        expect(file.headers.get('content-disposition')).toMatch(/^inline; /);
        for (const response of [file, ...attachments]) {
          expect(response.status).toBe(200);
          expect(Object.fromEntries(response.headers)).toMatchObject({
            'content-type': type,
            'x-content-type-options': 'nosniff',
            'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
          });
          await response.arrayBuffer();
        }
      },
    );
  });

  it.each([
    ['image/png', 'a.png'],
    ['application/pdf', 'a.pdf'],
    ['image/svg+xml', 'a.svg'],
    ['text/html; charset=utf-7', 'a.html'],
  ])('is detected even if the declared one is %s', async (contentType, filename) => {
    const part = { name: 'file', filename, contentType, body: `<!doctype html>${script}` };
    const response = await postForm(test.app, multipartBody([part], 'frontier'), keyOf(test));
    const document = (await response.json()) as DocumentFields;
    expect(document.content_type).toBe('application/octet-stream');
  });
});
