import { execFileSync } from 'node:child_process';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  openRpcStreamTransports,
  openStreamTransports,
  postForm,
  untilFinished,
} from '../support/document-streams.ts';
import { cookieOf } from '../support/gated-document.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { multipartBody } from '../support/raw-http.ts';
import { filesUnder, keyOf, makeLink, makePng, upload } from '../support/sharing-api.ts';
import { mayMount } from '../support/small-disk.ts';

type Away = { readonly leave: () => Promise<void>; readonly back: () => Promise<void> };
type Way = [what: string, prepare: (blobDir: string) => Promise<Away>, readable: boolean];

const mount = (...args: string[]) => execFileSync('mount', args);

const ways: Way[] = [
  [
    'missing (ENOENT)',
    async (blobDir) => ({
      leave: () => rename(blobDir, `${blobDir}.away`),
      back: () => rename(`${blobDir}.away`, blobDir),
    }),
    false,
  ],
  [
    'a file instead of a folder (ENOTDIR)',
    async (blobDir) => ({
      async leave() {
        await rename(blobDir, `${blobDir}.away`);
        await writeFile(blobDir, '');
      },
      async back() {
        await rm(blobDir);
        await rename(`${blobDir}.away`, blobDir);
      },
    }),
    false,
  ],
  ...(mayMount()
    ? ([
        [
          'read-only (EROFS)',
          async (blobDir) => {
            mount('-t', 'tmpfs', '-o', 'size=8m,mode=0700', 'none', blobDir);
            onTestFinished(() => void execFileSync('umount', [blobDir]));
            return {
              leave: async () => void mount('-o', 'remount,ro', blobDir),
              back: async () => void mount('-o', 'remount,rw', blobDir),
            };
          },
          true,
        ],
      ] satisfies Way[])
    : []),
];

async function expectUnavailable(response: Response, what: string): Promise<void> {
  const problem = (await response.json()) as { code: string; detail: string };
  expect({ status: response.status, ...problem }, what).toMatchObject({
    status: 503,
    code: 'unavailable',
    detail: 'The document store is unreachable.',
  });
  expect(response.headers.get('retry-after'), what).toBe('5');
}

async function readiness({ app }: TestApp): Promise<unknown> {
  return (await fetch(`${app.opsUrl}/readyz`)).json();
}

describe.each(ways)('a blob store that is %s', (_, prepare, readable) => {
  it('returns unavailable with a Retry-After until it works again', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-test-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const blobDir = path.join(folder, 'blobs');
    execFileSync('mkdir', [blobDir]);
    const { leave, back } = await prepare(blobDir);
    const blobs = { kind: 'folder', path: blobDir } as const;
    const test = await startTestApp({ config: { blobs }, blobLeaseMs: 400 });
    onTestFinished(() => test.remove());
    const { id } = await upload(test, makePng(20, 20));
    const deleted = await upload(test, Buffer.from('deleted'));
    const link = await makeLink(test, id, { allow_download: true });
    const cookie = cookieOf(await fetch(link.url));
    const file = `${test.app.publicUrl}/api/v1/documents/${id}/file`;
    const transports = untilFinished(openStreamTransports(test.app));
    const rpcTransports = untilFinished(openRpcStreamTransports(test.app));

    await leave();
    const form = multipartBody([{ name: 'file', filename: 'a', body: 'bytes' }], 'frontier');
    await expectUnavailable(await postForm(test.app, form, keyOf(test)), 'upload');
    // A deletion does not need the store: its bytes are removed later.
    const documents = `${test.app.publicUrl}/api/v1/documents`;
    const deletion = { method: 'DELETE', headers: keyOf(test) };
    expect((await fetch(`${documents}/${deleted.id}`, deletion)).status).toBe(200);
    for (const transport of transports) {
      const answer = await transport.upload([{ file: Buffer.from('bytes') }], keyOf(test));
      expect(answer, transport.name).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    }
    if (!readable) {
      await expectUnavailable(await fetch(file, { headers: keyOf(test) }), 'download');
      for (const route of ['file', 'download']) {
        const url = `${link.url}/${route}`;
        await expectUnavailable(await fetch(url, { headers: { cookie } }), url);
      }
      for (const transport of rpcTransports) {
        const answer = await transport.download({ documentId: id }, keyOf(test));
        expect(answer, transport.name).toMatchObject({ ok: false, error: { code: 'unavailable' } });
      }
    }
    expect(await readiness(test)).toMatchObject({
      status: 'not ready',
      checks: { blobs: 'failing', database: 'ok' },
    });

    await back();
    const read = await fetch(file, { headers: keyOf(test) });
    await read.arrayBuffer();
    expect(read.status).toBe(200);
    expect((await upload(test, Buffer.from('bytes'))).size_bytes).toBe(5);
    expect((await fetch(`${documents}/${id}`, deletion)).status).toBe(200);
    expect(await readiness(test)).toMatchObject({ status: 'ok' });
    await expect.poll(() => filesUnder(blobDir)).toHaveLength(1);
  });
});
