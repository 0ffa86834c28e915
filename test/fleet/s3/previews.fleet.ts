// Previews of Office files whose bytes are in an S3 store. Needs LibreOffice.
import { expect, onTestFinished, test } from 'vitest';
import { cookieOf } from '../../support/gated-document.ts';
import { startTestApp } from '../../support/harness.ts';
import { longDocx } from '../../support/office-packages.ts';
import { readPages } from '../../support/pdf-text.ts';
import {
  callSharingApi,
  type DocumentFields,
  makeLink,
  sha256,
  upload,
} from '../../support/sharing-api.ts';
import { newBucket } from './bucket.ts';

const file = longDocx(3);

test('the preview of an Office file is an object, which goes with the document', async () => {
  const bucket = await newBucket();
  const app = await startTestApp({
    dialect: 'postgres',
    config: { blobs: bucket.location, officeCommand: 'soffice' },
  });
  onTestFinished(() => app.remove());
  const probe = `${bucket.location.prefix}probe`;
  const objects = async () => (await bucket.keys()).filter((key) => key !== probe);
  const before = await objects();
  const { id } = await upload(app, file, 'Report.docx');
  const route = `/documents/${id}`;
  type Previewed = DocumentFields & { preview: string };
  const read = async () => (await callSharingApi<Previewed>(app, 'GET', route)).body;

  await expect.poll(async () => (await read()).preview).toBe('PREVIEW_READY');

  expect((await read()).page_count).toBe(3);
  expect(await objects()).toHaveLength(before.length + 2);
  const link = await makeLink(app, id, { allow_download: true });
  const cookie = cookieOf(await fetch(link.url));
  const get = async (path: string, headers = {}) => {
    const answer = await fetch(link.url + path, { headers: { cookie, ...headers } });
    return { status: answer.status, bytes: new Uint8Array(await answer.arrayBuffer()) };
  };
  expect(await readPages((await get('/file')).bytes)).toHaveLength(3);
  const part = await get('/file', { range: 'bytes=0-4' });
  expect([part.status, String(Buffer.from(part.bytes))]).toEqual([206, '%PDF-']);
  expect(sha256((await get('/download')).bytes)).toBe(sha256(file));
  expect((await callSharingApi(app, 'DELETE', route)).status).toBe(200);
  await expect.poll(objects).toEqual(before);
});
