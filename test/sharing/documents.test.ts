import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { transact } from '../../src/storage/database.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { describeFeature } from '../support/matrix.ts';
import {
  blobDirOf,
  callSharingApi,
  expectNothingStored,
  filesUnder,
  keyOf,
  makeLink,
  otherWorkspace,
  serviceCredential,
  upload,
} from '../support/sharing-api.ts';
import { openTransports, type Transport } from '../support/transports.ts';

const { listDocuments, getDocument, updateDocument, deleteDocument } = DocumentService.method;

describeFeature('documents', (dialect) => {
  let test: TestApp;
  let transports: Transport[];
  // Half a millisecond per reading, so that some documents have the same time.
  let clock = Date.now();
  beforeAll(async () => {
    const now = () => {
      clock += 0.5;
      return Math.floor(clock);
    };
    test = await startTestApp({ dialect, now });
    transports = openTransports(test.app);
    await otherWorkspace(test);
  });
  afterAll(async () => {
    for (const transport of transports) transport.close();
    await test.remove();
  });
  beforeEach(async () => {
    const rows = await test.app.inside.db.selectFrom('documents').select('id').execute();
    for (const { id } of rows) await callSharingApi(test, 'DELETE', `/documents/${id}`);
    await expectNothingStored(test);
  });

  async function uploadMany(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) {
      ids.push((await upload(test, Buffer.from(`bytes ${i}`), `${i}.bin`)).id);
    }
    return ids;
  }

  it('are listed newest first in pages, while more are added', async () => {
    const ids = await uploadMany(7);
    for (const transport of transports) {
      const seen: string[] = [];
      let pageToken = '';
      let pages = 0;
      do {
        const answer = await transport.call(listDocuments, { pageSize: 3, pageToken }, keyOf(test));
        if (!answer.ok) throw new Error(answer.error.message);
        seen.push(...answer.message.documents.map(({ id }) => id));
        pageToken = answer.message.nextPageToken;
        pages++;
        // A newer document does not change the remaining pages.
        if (pages === 1) await uploadMany(1);
      } while (pageToken !== '');

      expect(pages, transport.name).toBeGreaterThanOrEqual(3);
      expect(new Set(seen).size, transport.name).toBe(seen.length);
      expect(seen.filter((id) => ids.includes(id)).length, transport.name).toBe(7);
      const all = await transport.call(listDocuments, {}, keyOf(test));
      const times = all.ok ? all.message.documents.map((one) => one.createTime?.nanos ?? 0) : [];
      const inOrder = all.ok
        ? all.message.documents.map(
            ({ createTime, id }) =>
              `${createTime?.seconds}.${String(createTime?.nanos).padStart(9, '0')} ${id}`,
          )
        : [];
      expect(times.length).toBeGreaterThan(7);
      expect(inOrder).toEqual([...inOrder].sort().reverse());
    }
  });

  it('are returned 50 per page by default and at most 200', async () => {
    const { db } = test.app.inside;
    const row = { workspace_id: test.env.WORKSPACE_ID, name: 'a', content_type: 'a/a' };
    const facts = { size_bytes: 1, sha256: '0', page_count: 0, create_time: 5 };
    for (let i = 0; i < 205; i++) {
      const id = `doc_made_${i}`;
      await db
        .insertInto('documents')
        .values({ ...row, ...facts, id, blob_id: id })
        .execute();
    }
    const sizes: [pageSize: number, count: number][] = [
      [0, 50],
      [1, 1],
      [200, 200],
      [201, 200],
      [2_147_483_647, 200],
    ];
    for (const transport of transports) {
      for (const [pageSize, count] of sizes) {
        const answer = await transport.call(listDocuments, { pageSize }, keyOf(test));
        expect(answer, transport.name).toMatchObject({ ok: true });
        const documents = answer.ok ? answer.message.documents : [];
        expect(documents.length, `${transport.name} ${pageSize}`).toBe(count);
      }
    }
    await transact(db, async (trx) => {
      await trx.deleteFrom('documents').execute();
    });
  });

  it('are not listed with a bad query of the URL', async () => {
    for (const query of ['page_size=abc', 'page_size=1e99', 'page_size=1&page_size=2', 'order=a']) {
      expect((await callSharingApi(test, 'GET', `/documents?${query}`)).status, query).toBe(400);
    }
  });

  it('are listed over HTTP with every field and an empty token at the end', async () => {
    const document = await upload(test, Buffer.from('a'), 'a.bin');

    const { status, body } = await callSharingApi(test, 'GET', '/documents');

    expect({ status, body }).toEqual({
      status: 200,
      body: { documents: [document], next_page_token: '', total_size: 1 },
    });
  });

  it('keep all other fields when renamed', async () => {
    const document = await upload(test, Buffer.from('a'), 'a.bin');
    for (const transport of transports) {
      const request = { documentId: document.id, name: `Renamed by ${transport.name}` };
      const answer = await transport.call(updateDocument, request, keyOf(test));
      const { name } = request;
      expect(answer, transport.name).toMatchObject({ ok: true, message: { document: { name } } });
      const read = await callSharingApi(test, 'GET', `/documents/${document.id}`);
      expect(read.body).toEqual({
        ...{ ...document, name },
        ...{ etag: expect.any(String), update_time: expect.any(String) },
      });
    }
  });

  it('reject unreadable names and changes to any other field', async () => {
    const document = await upload(test, Buffer.from('a'), 'a.bin');
    const route = `/documents/${document.id}`;
    const bodies: [body: Record<string, unknown>, field: string][] = [
      [{ name: '' }, 'name'],
      [{ name: null }, 'name'],
      [{ name: '  ' }, 'name'],
      [{ name: '\u200b\u3164\u2800' }, 'name'],
      [{ name: 'a\nb' }, 'name'],
      [{ name: 'a\u0000b' }, 'name'],
      [{ name: '\ud800' }, 'name'],
      [{ name: 'x'.repeat(256) }, 'name'],
      [{ name: 5 }, 'name'],
      [{ content_type: 'text/html' }, 'content_type'],
      [{ size_bytes: 1 }, 'size_bytes'],
      [{ id: 'doc_a' }, 'id'],
      [{ document_id: 'doc_a' }, 'document_id'],
      [{ name: 'b', update_mask: 'sha256' }, 'update_mask'],
    ];
    for (const [body, field] of bodies) {
      const answer = await callSharingApi(test, 'PATCH', route, body);
      expect(answer, JSON.stringify(body)).toMatchObject({
        status: 400,
        body: { code: 'invalid_argument', errors: [{ field }] },
      });
    }
    expect((await callSharingApi(test, 'PATCH', route, {})).body).toEqual(document);
    expect((await callSharingApi(test, 'GET', route)).body).toEqual(document);
  });

  it('are deleted with their bytes and their links', async () => {
    for (const transport of transports) {
      const document = await upload(test, Buffer.from('a'), 'a.bin');
      const link = await makeLink(test, document.id);
      const page = await fetch(link.url);
      expect(page.status).toBe(200);
      const cookie = page.headers.get('set-cookie')?.split(';', 1)[0] ?? '';

      const answer = await transport.call(deleteDocument, { documentId: document.id }, keyOf(test));

      expect(answer, transport.name).toMatchObject({ ok: true });
      const files = () => filesUnder(blobDirOf(test));
      await expect.poll(files, { message: transport.name }).toEqual([]);
      for (const route of ['', '/file', '/download']) {
        expect((await fetch(link.url + route, { headers: { cookie } })).status).toBe(404);
      }
      expect((await callSharingApi(test, 'GET', `/links/${link.id}`)).status).toBe(404);
      expect((await callSharingApi(test, 'GET', `/documents/${document.id}/file`)).status).toBe(
        404,
      );
      const again = await transport.call(deleteDocument, { documentId: document.id }, keyOf(test));
      expect(again, transport.name).toMatchObject({ ok: false, error: { code: 'not_found' } });
    }
  });

  it('of another workspace, or with a malformed id, are not found', async () => {
    const document = await upload(test, Buffer.from('a'), 'a.bin');
    const scopes = 'documents:read documents:write';
    const credential = await serviceCredential(test, scopes);
    const request = { documentId: document.id, workspaceId: 'ws_other' };
    for (const transport of transports) {
      const answers = [
        await transport.call(getDocument, request, credential),
        await transport.call(updateDocument, { ...request, name: 'Mine' }, credential),
        await transport.call(deleteDocument, request, credential),
      ];
      for (const answer of answers) {
        expect(answer, transport.name).toMatchObject({ ok: false, error: { code: 'not_found' } });
      }
      const list = await transport.call(listDocuments, { workspaceId: 'ws_other' }, credential);
      expect(list, transport.name).toMatchObject({ ok: true, message: { documents: [] } });
    }
    const file = `/documents/${document.id}/file?workspace_id=ws_other`;
    expect(await callSharingApi(test, 'GET', file, undefined, credential)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
    expect((await callSharingApi(test, 'GET', `/documents/${document.id}`)).body).toEqual(document);

    for (const id of ['doc_unknown', `doc_${'0'.repeat(22)}`, "'", '%25', '..', '%F0%9F%98%80']) {
      const answer = await callSharingApi(test, 'GET', `/documents/${encodeURIComponent(id)}`);
      expect(answer, id).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    for (const id of ['%00', 'x'.repeat(65)]) {
      expect((await callSharingApi(test, 'GET', `/documents/${id}`)).status, id).toBe(400);
    }
    const inBody = { document_id: 'a\u0000b' };
    expect(await callSharingApi(test, 'POST', '/links', inBody)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'document_id' }] },
    });
  });
});
