// Versions of documents: uploads, downloads, links, restoring, deleting, and their quota.
import { expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import { openLink, reportView, viewsOf, visit } from '../support/link-views.ts';
import { makePdf } from '../support/pdf.ts';
import { itHoldsFor } from '../support/rule.ts';
import {
  blobDirOf,
  callSharingApi,
  type DocumentFields,
  filesUnder,
  keyOf,
  makeLink,
  makePng,
  sha256,
  upload,
  uploadVersion,
} from '../support/sharing-api.ts';
import { versionUploads } from '../support/version-uploads.ts';

type VersionFields = { version: number; current: boolean; sha256: string; content_type: string };

const first = makePdf({ pages: 1, text: 'First', padToBytes: 4_000 });
const second = makePng(8, 8);

describeApp('a document with versions', (suite) => {
  const test = () => suite.testApp;
  const call = <T>(method: string, route: string, body?: unknown) =>
    callSharingApi<T>(test(), method, route, body);

  async function stored() {
    const document = await upload(test(), first, 'deck.pdf');
    const updated = await uploadVersion(test(), document.id, second, 'other.png');
    return { id: document.id, document, updated };
  }

  async function versionsOf(id: string): Promise<VersionFields[]> {
    const answer = await call<{ versions: VersionFields[] }>('GET', `/documents/${id}/versions`);
    expect(answer.status).toBe(200);
    return answer.body.versions;
  }

  const file = (id: string, query = '', headers = {}) =>
    fetch(`${test().app.publicUrl}/api/v1/documents/${id}/file${query}`, {
      headers: { ...keyOf(test()), ...headers },
    });

  const usedBytes = async () => {
    const { db } = suite.app.inside;
    const rows = await db.selectFrom('workspace_usage').select('bytes').execute();
    return rows.reduce((sum, { bytes }) => sum + bytes, 0);
  };

  it('has the type, the size and the digest of the newest, and its own name', async () => {
    const { id, document, updated } = await stored();

    expect(document.version).toBe(1);
    expect(updated).toMatchObject({ id, name: 'deck.pdf', version: 2, content_type: 'image/png' });
    expect([updated.size_bytes, updated.sha256]).toEqual([second.length, sha256(second)]);
    expect(await versionsOf(id)).toMatchObject([
      { version: 2, current: true, sha256: sha256(second), content_type: 'image/png' },
      { version: 1, current: false, sha256: sha256(first), content_type: 'application/pdf' },
    ]);
    const page = await call<{ versions: VersionFields[]; next_page_token: string }>(
      'GET',
      `/documents/${id}/versions?page_size=1`,
    );
    const rest = `/documents/${id}/versions?page_token=${page.body.next_page_token}`;
    const next = await call<{ versions: VersionFields[] }>('GET', rest);
    expect([...page.body.versions, ...next.body.versions].map((v) => v.version)).toEqual([2, 1]);
  });

  it('returns the bytes of the current version, or of the named one', async () => {
    const { id } = await stored();

    expect(Buffer.from(await (await file(id)).arrayBuffer())).toEqual(second);
    expect(Buffer.from(await (await file(id, '?version=1')).arrayBuffer())).toEqual(first);
    expect((await file(id, '?version=3')).status).toBe(404);
    const range = { range: 'bytes=10-', 'if-range': `"${sha256(first)}"` };
    const resumed = await file(id, '', range);
    expect([resumed.status, resumed.headers.get('etag')]).toEqual([200, `"${sha256(second)}"`]);
    const strict = await file(id, '', { range: 'bytes=10-', 'if-match': `"${sha256(first)}"` });
    expect(strict.status).toBe(412);
  });

  itHoldsFor(['grpc', 'connect'] as const)('gets a version through streams', async (name) => {
    const { id } = await upload(test(), first, 'deck.pdf');
    const pieces = [
      { documentId: id, name: 'Renamed' },
      { file: second.subarray(0, 9) },
      { file: second.subarray(9) },
    ];

    const document = await versionUploads[name](test(), pieces);

    expect(document).toMatchObject({ id, name: 'Renamed', version: 2, sha256: sha256(second) });
    const refused = versionUploads[name](test(), pieces.slice(1));
    await expect(refused).rejects.toMatchObject({ code: 3 });
    await expect(
      versionUploads[name](test(), [{ documentId: id }, { documentId: id, file: second }]),
    ).rejects.toMatchObject({ code: 3 });
  });

  it('gets one version from a repeated upload', async () => {
    const { id } = await upload(test(), first);
    const post = () => {
      const body = new FormData();
      body.append('file', new Blob([new Uint8Array(second)]), 'a.png');
      return fetch(`${test().app.publicUrl}/api/v1/documents/${id}/versions`, {
        method: 'POST',
        headers: { ...keyOf(test()), 'idempotency-key': `versions of ${id}` },
        body,
      });
    };

    const [made, again] = [await post(), await post()];

    expect([made.status, again.status]).toEqual([201, 201]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await again.json()).toEqual(await made.json());
    expect(await versionsOf(id)).toHaveLength(2);
  });

  it('is restored without new bytes, and later numbers stay unused', async () => {
    const { id, document } = await stored();
    const used = await usedBytes();

    const restored = await call<DocumentFields>('POST', `/documents/${id}/versions/1:restore`, {});

    expect(restored.body).toMatchObject({ version: 1, sha256: document.sha256, page_count: 1 });
    expect(await usedBytes()).toBe(used);
    expect((await call('DELETE', `/documents/${id}/versions/2`)).status).toBe(200);
    expect(await usedBytes()).toBe(used - second.length);
    expect((await uploadVersion(test(), id, second)).version).toBe(3);
    expect((await call('POST', `/documents/${id}/versions/2:restore`, {})).status).toBe(404);
  });

  it('keeps the current and a pinned version', async () => {
    const { id } = await stored();
    const link = await makeLink(test(), id, { pinned_version: 1 });

    expect((await call('DELETE', `/documents/${id}/versions/2`)).status).toBe(409);
    expect((await call('DELETE', `/documents/${id}/versions/1`)).status).toBe(409);
    expect((await call('DELETE', `/documents/${id}/versions/9`)).status).toBe(404);
    const none = await call('PATCH', `/links/${link.id}`, { pinned_version: 9 });
    expect(none.status).toBe(400);
    const unpinned = await call('PATCH', `/links/${link.id}`, { pinned_version: null });
    expect(unpinned.body).toMatchObject({ pinned_version: 0 });
    expect((await call('DELETE', `/documents/${id}/versions/1`)).status).toBe(200);
    const gone = await call('PATCH', `/links/${link.id}`, { pinned_version: 1 });
    expect(gone.status).toBe(400);
  });

  it('has at most 100 versions', async () => {
    const { id } = await upload(test(), first);
    const { db } = suite.app.inside;
    const { blob_id: _, ...row } = await db
      .selectFrom('document_versions')
      .selectAll()
      .where('document_id', '=', id)
      .executeTakeFirstOrThrow();
    const more = Array.from({ length: 99 }, (__, i) => ({
      ...row,
      version: i + 2,
      blob_id: `none${id}${i}`,
    }));
    await db.insertInto('document_versions').values(more).execute();

    await expect(uploadVersion(test(), id, second)).rejects.toThrow();

    const total = await call('GET', `/documents/${id}/versions`);
    expect(total.body).toMatchObject({ total_size: 100 });
    await db.deleteFrom('document_versions').where('blob_id', 'like', 'none%').execute();
  });

  it('removes all its bytes with the document', async () => {
    const before = await filesUnder(blobDirOf(test()));
    const used = await usedBytes();
    const { id } = await stored();
    expect((await filesUnder(blobDirOf(test()))).length).toBe(before.length + 2);

    expect((await call('DELETE', `/documents/${id}`)).status).toBe(200);

    await expect.poll(() => filesUnder(blobDirOf(test()))).toEqual(before);
    expect(await usedBytes()).toBe(used);
  });

  it('gets all versions of concurrent uploads, and deletion wins over them', async () => {
    const { id } = await upload(test(), first);
    const uploads = Array.from({ length: 4 }, () => uploadVersion(test(), id, second));
    const restores = [1, 1].map((version) =>
      call('POST', `/documents/${id}/versions/${version}:restore`, {}),
    );

    const documents = await Promise.all(uploads);
    await Promise.all(restores);

    expect(documents.map(({ version }) => version).sort()).toEqual([2, 3, 4, 5]);
    const versions = await versionsOf(id);
    expect(versions.filter(({ current }) => current)).toHaveLength(1);
    const current = await call<DocumentFields>('GET', `/documents/${id}`);
    const shown = versions.find(({ version }) => version === current.body.version);
    expect(shown).toMatchObject({ current: true, sha256: current.body.sha256 });
    const late = uploadVersion(test(), id, second).catch(() => undefined);
    await call('DELETE', `/documents/${id}`);
    await late;
    expect((await call('GET', `/documents/${id}`)).status).toBe(404);
    const { db } = suite.app.inside;
    const blobs = await db.selectFrom('document_versions').select('blob_id').execute();
    await expect
      .poll(() => filesUnder(blobDirOf(test())).then(({ length }) => length))
      .toBe(blobs.length);
  });

  it('is read to the end by a download that began before its deletion', async () => {
    const big = makePdf({ pages: 1, text: 'Big', padToBytes: 8_000_000 });
    const { id } = await upload(test(), big);
    await uploadVersion(test(), id, second);
    const response = await file(id, '?version=1');

    expect((await call('DELETE', `/documents/${id}/versions/1`)).status).toBe(200);

    const read = await response.arrayBuffer().catch(() => undefined);
    if (read !== undefined) expect(sha256(Buffer.from(read))).toBe(sha256(big));
    expect((await file(id, '?version=1')).status).toBe(404);
  });

  it('shows the new version through its links, and no mixture to an open page', async () => {
    const { id } = await upload(test(), first, 'deck.pdf');
    const link = await makeLink(test(), id, { email_required: true });
    const pinned = await makeLink(test(), id, { pinned_version: 1 });
    const cookie = await openLink(link);
    const get = (url: string, headers = {}) => fetch(url, { headers: { cookie, ...headers } });
    const page = await (await get(link.url)).text();
    expect(page).toContain(`data-file="${new URL(link.url).pathname}/versions/1/file"`);
    const open = `${link.url}/versions/1/file`;
    const range = { range: 'bytes=0-99' };
    expect((await get(open, range)).status).toBe(206);

    await uploadVersion(test(), id, second);

    const stale = await get(open, range);
    expect(stale.status).toBe(412);
    const shown = await get(`${link.url}/versions/2/file`);
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(second);
    expect((await get(`${link.url}/file`)).headers.get('latchkey-version')).toBe('2');
    expect(await (await get(link.url)).text()).toContain('data-kind="image"');
    const pinnedPage = await fetch(pinned.url);
    const pinnedCookie = pinnedPage.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const old = await fetch(`${pinned.url}/file`, { headers: { cookie: pinnedCookie } });
    expect(Buffer.from(await old.arrayBuffer())).toEqual(first);
    expect((await fetch(open)).status).toBe(403);
  });

  it('counts the views of each version for itself', async () => {
    const { id } = await upload(test(), first, 'deck.pdf');
    const link = await makeLink(test(), id, { email_required: true });
    const cookie = await openLink(link);
    await uploadVersion(test(), id, makePdf({ pages: 2, text: 'Second' }), 'deck.pdf');

    const old = await reportView(link, cookie, { visit, pages: '1:1500', version: '1' });
    const later = await reportView(link, cookie, { visit, pages: '2:1200', version: '2' });
    const beyond = await reportView(link, cookie, { visit, pages: '2:9', version: '1' });
    const wrong = await reportView(link, cookie, { visit, pages: '1:9', version: '0' });
    const missing = await reportView(link, cookie, { visit, pages: '1:9', version: '7' });

    const statuses = [old, later, beyond, wrong, missing].map(({ status }) => status);
    expect(statuses).toEqual([204, 204, 400, 400, 204]);
    expect(old.headers.get('latchkey-version')).toBe('2');
    await suite.app.inside.views.flush();
    const views = await viewsOf(test(), link);
    expect(views).toMatchObject([
      { version: 2, document_id: id },
      { version: 1, document_id: id },
    ]);
    type Figures = { version: number; view_count: number; pages: { view_count: number }[] };
    const insight = async (route: string) => (await call<Figures>('GET', route)).body;
    for (const of of [`/documents/${id}`, `/links/${link.id}`]) {
      expect(await insight(`${of}/insight`)).toMatchObject({ version: 2, view_count: 1 });
      expect((await insight(`${of}/insight`)).pages).toHaveLength(2);
      expect(await insight(`${of}/insight?version=1`)).toMatchObject({ version: 1, view_count: 1 });
      const listed = await call<{ views: unknown[] }>('GET', `${of}/views?version=1`);
      expect(listed.body.views).toMatchObject([{ version: 1 }]);
    }
    const csv = await fetch(`${test().app.publicUrl}/api/v1/documents/${id}/views.csv?version=2`, {
      headers: keyOf(test()),
    });
    expect((await csv.text()).trim().split('\r\n')).toHaveLength(2);
  });
});
