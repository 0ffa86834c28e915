// Byte ranges of a document that gets another version: no client can mix the bytes of two.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { describeApp, type Suite } from '../support/app-suite.ts';
import { makeFolder, makeRoom } from '../support/folder-calls.ts';
import { makePdf } from '../support/pdf.ts';
import { itHoldsFor, product } from '../support/rule.ts';
import {
  callSharingApi,
  keyOf,
  makeLink,
  sha256,
  upload,
  uploadVersion,
} from '../support/sharing-api.ts';

const first = makePdf({ pages: 1, text: 'First', padToBytes: 40_000 });
const second = makePdf({ pages: 2, text: 'Second', padToBytes: 50_000 });

type Address = { url: string; headers: Record<string, string> };

async function opened(page: string, route: string): Promise<Address> {
  const [cookie = ''] = (await fetch(page)).headers.getSetCookie();
  return { url: page.split('?')[0] + route, headers: { cookie: cookie.replace(/;.*/, '') } };
}

/** The addresses that follow a document to its next version. */
const unversioned = {
  'the API': async ({ testApp }: Suite, id: string) => ({
    url: `${testApp.app.publicUrl}/api/v1/documents/${id}/file`,
    headers: keyOf(testApp),
  }),
  'the viewer': async ({ testApp }: Suite, id: string) =>
    opened((await makeLink(testApp, id)).url, '/file'),
  'a download': async ({ testApp }: Suite, id: string) =>
    opened((await makeLink(testApp, id, { allow_download: true })).url, '/download'),
  'a room': async ({ testApp }: Suite, id: string) => {
    const room = await makeFolder(testApp, `Room of ${id}`);
    await callSharingApi(testApp, 'PATCH', `/documents/${id}`, { folder_id: room.id });
    return opened((await makeRoom(testApp, room.id)).url, `/documents/${id}/file`);
  },
};

type Selection = { status: number; part?: [first: number, last: number] };

/** Requests for bytes of the second version, after the first one was current. */
const requests: [headers: (etag: string) => Record<string, string>, expected: Selection][] = [
  [() => ({ range: 'bytes=100-' }), { status: 200 }],
  [() => ({ range: 'bytes=100-199' }), { status: 200 }],
  [() => ({ range: 'bytes=-100' }), { status: 200 }],
  // A client may have later bytes of the other version.
  [() => ({ range: 'bytes=0-99' }), { status: 200 }],
  // Beyond the end of the first version, or of both.
  [() => ({ range: 'bytes=45000-' }), { status: 200 }],
  [() => ({ range: 'bytes=60000-' }), { status: 200 }],
  [() => ({ range: 'bytes=100-', 'if-match': '*' }), { status: 200 }],
  [() => ({ range: 'bytes=100-', 'if-none-match': '"other"' }), { status: 200 }],
  [() => ({ range: 'bytes=100-', 'if-range': '"other"' }), { status: 200 }],
  [() => ({ range: 'bytes=100-', 'if-match': '"other"' }), { status: 412 }],
  [(etag) => ({ range: 'bytes=100-', 'if-range': etag }), { status: 206, part: [100, 49_999] }],
  [(etag) => ({ range: 'bytes=0-99', 'if-match': etag }), { status: 206, part: [0, 99] }],
];

async function read({ url, headers }: Address, more: Record<string, string> = {}) {
  const answer = await fetch(url, { headers: { ...headers, ...more } });
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
}

const partOf = (bytes: Buffer, [from, to]: [number, number]) => bytes.subarray(from, to + 1);

describeApp('a range of a document with another version', (suite) => {
  const upgrade = (id: string) => uploadVersion(suite.testApp, id, second);
  const restoreFirst = (id: string) =>
    callSharingApi(suite.testApp, 'POST', `/documents/${id}/versions/1:restore`, {});

  itHoldsFor(product(Object.entries(unversioned), requests), 48)(
    'is the whole file without the entity tag of the bytes',
    async (_name, addressOf, headersFor, { status, part }) => {
      const { id } = await upload(suite.testApp, first);
      const address = await addressOf(suite, id);
      const alone = await read(address, { range: 'bytes=100-199' });
      expect([alone.answer.status, alone.bytes]).toEqual([206, partOf(first, [100, 199])]);
      await upgrade(id);
      const etag = (await read(address)).answer.headers.get('etag') ?? '';

      const { answer, bytes } = await read(address, headersFor(etag));

      expect(answer.status).toBe(status);
      if (status === 412) return;
      expect(bytes.equals(part ? partOf(second, part) : second)).toBe(true);
      expect(answer.headers.has('content-range')).toBe(part !== undefined);
      const head = await fetch(address.url, {
        method: 'HEAD',
        headers: { ...address.headers, ...headersFor(etag) },
      });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, '50000']);
    },
  );

  itHoldsFor(Object.entries(unversioned), 4)(
    'stays the whole file after the first version is restored and the second deleted',
    async (_name, addressOf) => {
      const { id } = await upload(suite.testApp, first);
      const address = await addressOf(suite, id);
      await upgrade(id);
      await restoreFirst(id);
      await callSharingApi(suite.testApp, 'DELETE', `/documents/${id}/versions/2`);

      const { answer, bytes } = await read(address, { range: 'bytes=100-' });

      expect([answer.status, sha256(bytes)]).toEqual([200, sha256(first)]);
    },
  );

  it('is a part at an address with a version, and the whole file of a pinned link', async () => {
    const { id } = await upload(suite.testApp, first);
    await upgrade(id);
    const api = await unversioned['the API'](suite, id);
    const link = await makeLink(suite.testApp, id);
    const range = { range: 'bytes=100-' };

    const old = await read({ ...api, url: `${api.url}?version=1` }, range);
    const shown = await read(await opened(link.url, '/versions/2/file'), range);
    const gone = await read(await opened(link.url, '/versions/1/file'), range);
    const pinned = await makeLink(suite.testApp, id, { pinned_version: 1 });
    const kept = await read(await opened(pinned.url, '/file'), range);

    expect([old.answer.status, old.bytes]).toEqual([206, first.subarray(100)]);
    expect([shown.answer.status, shown.bytes]).toEqual([206, second.subarray(100)]);
    expect(gone.answer.status).toBe(412);
    // The link can be unpinned, or pinned to the other version.
    expect([kept.answer.status, sha256(kept.bytes)]).toEqual([200, sha256(first)]);
  });

  it('is the whole file of the old version while a process does not know the new one', async () => {
    const { id } = await upload(suite.testApp, first);
    const address = await unversioned['a download'](suite, id);
    expect((await read(address)).bytes).toEqual(first);
    const { db } = suite.app.inside;
    await db.updateTable('documents').set({ last_version: 2 }).where('id', '=', id).execute();

    const { answer, bytes } = await read(address, { range: 'bytes=100-' });

    expect([answer.status, sha256(bytes)]).toEqual([200, sha256(first)]);
  });

  itHoldsFor(Object.entries(unversioned), 4)(
    'makes curl continue a file, and refuse to continue the file of another version',
    async (_name, addressOf) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-curl-'));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const file = path.join(folder, 'file');
      const { id } = await upload(suite.testApp, first);
      const { url, headers } = await addressOf(suite, id);
      const curl = async (...more: string[]) => {
        const named = Object.entries(headers).flatMap((pair) => ['-H', pair.join(': ')]);
        const parameters = ['--silent', '--fail', '-o', file, ...named, ...more, url];
        const run = promisify(execFile)('curl', parameters);
        const code = await run.then(
          () => 0,
          (error: { code: number }) => error.code,
        );
        return { code, bytes: await readFile(file) };
      };
      await curl('--range', '0-9999');
      const continued = await curl('-C', '-');
      expect([continued.code, sha256(continued.bytes)]).toEqual([0, sha256(first)]);
      const begun = await curl('--range', '0-9999');
      await upgrade(id);

      const refused = await curl('-C', '-');

      // 33: the server does not continue the file.
      expect([refused.code, sha256(refused.bytes)]).toEqual([33, sha256(begun.bytes)]);
      expect(begun.bytes).toEqual(partOf(first, [0, 9999]));
      const whole = await curl();
      expect([whole.code, sha256(whole.bytes)]).toEqual([0, sha256(second)]);
    },
  );
});
