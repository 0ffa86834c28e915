import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRpcStreamTransports } from '../support/document-streams.ts';
import { cookieOf } from '../support/gated-document.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../support/harness.ts';
import { spawnProgram } from '../support/program.ts';
import { itHoldsFor } from '../support/rule.ts';
import {
  blobDirOf,
  callSharingApi,
  keyOf,
  makeLink,
  makePng,
  upload,
} from '../support/sharing-api.ts';
import { useStarted, useTransports } from '../support/use-started.ts';

async function start(options: TestAppOptions = {}): Promise<TestApp> {
  const test = await startTestApp(options);
  onTestFinished(() => test.remove());
  return test;
}

async function blobOf(test: TestApp, documentId: string): Promise<string> {
  const { blob_id } = await test.app.inside.db
    .selectFrom('documents')
    .select('blob_id')
    .where('id', '=', documentId)
    .executeTakeFirstOrThrow();
  return path.join(blobDirOf(test), blob_id.slice(0, 2), blob_id);
}

/** Flips one bit in the middle of the file. */
async function flipBit(file: string): Promise<void> {
  const bytes = await readFile(file);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  await writeFile(file, bytes);
}

const damages: [what: string, damage: string, harm: (file: string) => Promise<void>][] = [
  ['is shortened', 'size', (file) => truncate(file, 1000)],
  ['has grown', 'size', (file) => writeFile(file, 'more', { flag: 'a' })],
  ['is missing', 'missing', (file) => rm(file)],
  ['has a flipped bit', 'digest', flipBit],
];

async function metric(test: TestApp, labels: string): Promise<number> {
  const text = await (await fetch(`${test.app.opsUrl}/metrics`)).text();
  const line = text
    .split('\n')
    .find((one) => one.startsWith(`latchkey_blob_checks_total{${labels}`));
  return Number(line?.split(' ').at(-1) ?? 0);
}

describe('a document with a damaged blob', () => {
  const test = useStarted(() => startTestApp());
  const transports = useTransports(() => openRpcStreamTransports(test.app));
  const expectError = async (documentId: string) => {
    for (const transport of transports) {
      const answer = await transport.download({ documentId }, keyOf(test));
      expect(answer, transport.name).toMatchObject({ ok: false, error: { code: 'internal' } });
    }
  };

  itHoldsFor(damages, 4)(
    'returns an error on every transport, in the log and in the metrics',
    async (_, damage, harm) => {
      const { id } = await upload(test, makePng(60, 60));
      const link = await makeLink(test, id, { allow_download: true });
      const cookie = cookieOf(await fetch(link.url));
      const counted = () => metric(test, `source="download",result="${damage}"`);
      const before = await counted();
      await harm(await blobOf(test, id));

      const urls: [url: string, headers: Record<string, string>][] = [
        [`${test.app.publicUrl}/api/v1/documents/${id}/file`, keyOf(test)],
        [`${link.url}/file`, { cookie }],
        [`${link.url}/download`, { cookie }],
      ];
      for (const [url, headers] of urls) {
        const response = await fetch(url, { headers });
        expect(response.status, url).toBe(500);
        expect(await response.json(), url).toMatchObject({ code: 'internal' });
        expect(response.headers.get('etag'), url).toBe(null);
      }
      await expectError(id);

      expect(await counted()).toBe(before + 5);
      const lines = (await test.logText()).split('\n').filter((line) => line.includes(id));
      const reported = lines.filter((line) => line.includes('is damaged"'));
      expect(reported).toHaveLength(5);
      expect(JSON.parse(reported[0] ?? '')).toMatchObject({ document_id: id, damage });
    },
  );

  it('never reaches its reader completely if it is large', async () => {
    const { id, size_bytes } = await upload(test, Buffer.alloc(1_000_000, 'The terms. '));
    await flipBit(await blobOf(test, id));

    const url = `${test.app.publicUrl}/api/v1/documents/${id}/file`;
    const response = await fetch(url, { headers: keyOf(test) });
    expect(response.headers.get('content-length')).toBe(String(size_bytes));
    await expect(response.arrayBuffer()).rejects.toThrow('terminated');
    await expectError(id);
  });
});

describe('the check of all documents', () => {
  const dayMs = 86_400_000;

  it('runs again when the last check is older than the setting, and finds damage', async () => {
    const first = await startTestApp();
    const sound = await upload(first, Buffer.from('The terms.'));
    const { id } = await upload(first, Buffer.from('Other terms.'));
    await flipBit(await blobOf(first, id));
    const checked = first.app.inside.db.updateTable('document_versions');
    await checked.set({ check_time: Date.now() }).execute();
    await first.stop();

    const { dataDir } = first;
    const early = await startTestApp({ dataDir, now: () => Date.now() + 29 * dayMs });
    await early.stop();
    expect(await early.logText()).not.toContain('is damaged');
    const late = await start({ dataDir, now: () => Date.now() + 31 * dayMs });

    await expect.poll(() => metric(late, 'source="scan",result="digest"')).toBe(1);
    await expect.poll(() => metric(late, 'source="scan",result="ok"')).toBe(1);
    const line = (await late.logText()).split('\n').find((one) => one.includes('is damaged"'));
    expect(JSON.parse(line ?? '')).toMatchObject({ document_id: id, source: 'scan' });
    expect(line).not.toContain(sound.id);
  });

  it('is a command that names the damaged documents and fails', async () => {
    const test = await start();
    const documents = await Promise.all(
      damages.map((_, i) => upload(test, Buffer.alloc(2000, `${i}`))),
    );
    const doctor = async () => {
      const program = await spawnProgram({}, test.dataDir, ['doctor', '--blobs']);
      const code = await program.ended;
      return { code, lines: program.stdout().trimEnd().split('\n').sort() };
    };
    expect(await doctor()).toEqual({ code: 0, lines: ['Documents checked: 4, damaged: 0'] });

    for (const [i, [, , harm]] of damages.entries()) {
      await harm(await blobOf(test, documents[i]?.id ?? ''));
    }

    const texts = ['the size is wrong', 'the size is wrong', 'the content is missing'];
    const lines = [...texts, 'the SHA-256 is wrong'].map(
      (text, i) => `${documents[i]?.id}: ${text}`,
    );
    const summary = 'Documents checked: 4, damaged: 4';
    expect(await doctor()).toEqual({ code: 1, lines: [...lines, summary].sort() });
    expect((await callSharingApi(test, 'GET', '/documents')).status).toBe(200);
  });
});
