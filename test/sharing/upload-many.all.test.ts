import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import {
  grpcClients,
  openStreamTransports,
  startGrpcUpload,
  untilFinished,
} from '../support/document-streams.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { describeFeature } from '../support/matrix.ts';
import {
  blobDirOf,
  callSharingApi,
  filesUnder,
  keyOf,
  sha256,
  storedState,
} from '../support/sharing-api.ts';

/**
 * The number of simultaneous uploads per workspace in a process while no other workspace uploads.
 */
const uploadsMax = 128;

describeFeature('many simultaneous uploads', (dialect) => {
  let test: TestApp;
  beforeEach(async () => {
    // Nothing else may refuse an upload, however busy the machine is.
    const waitMs = 600_000;
    test = await startTestApp({
      ...{ dialect, uploadStalledMs: waitMs, workspaceWaitMs: waitMs, admissionLimits: { waitMs } },
    });
  });
  afterEach(() => test.remove());

  function openTransports() {
    const transports = untilFinished(openStreamTransports(test.app));
    return transports;
  }

  async function digests(): Promise<string[]> {
    const rows = await test.app.inside.db.selectFrom('documents').select('sha256').execute();
    return rows.map((row) => row.sha256).sort();
  }

  it('are each stored, or refused as too many, through every transport', async () => {
    const transports = openTransports().filter(({ name }) => name !== 'connect');
    // The rows of a workspace are inserted one after the other. With PostgreSQL, an upload fails
    // that waits five seconds for a connection.
    const length = dialect === 'sqlite' ? 200 : 30;
    const contents = Array.from({ length }, (_, i) => Buffer.alloc(30_000, `upload ${i}`));

    const uploads = contents.flatMap((file) =>
      transports.map(async (transport) => ({
        digest: sha256(file),
        answer: await transport.upload([{ file }], keyOf(test)),
      })),
    );
    const answers = await Promise.all(uploads);

    const kept = answers.filter(({ answer }) => answer.ok).map(({ digest }) => digest);
    expect(await digests()).toEqual(kept.sort());
    const refused = answers.flatMap(({ answer }) => (answer.ok ? [] : [answer.error.code]));
    expect(new Set(refused)).toEqual(new Set(refused.length === 0 ? [] : ['rate_limited']));
    await expect
      .poll(() => storedState(test))
      .toMatchObject({ rows: kept.length, files: { length: kept.length }, open: [] });
  });

  // The limit of a process does not depend on the database.
  if (dialect === 'postgres') return;

  it('are refused above the share of one workspace, and accepted again afterwards', async () => {
    const clients = grpcClients(test.app.grpcAddress, 2);
    const uploads = clients.flatMap((client, i) => {
      onTestFinished(() => client.close());
      return Array.from({ length: uploadsMax / clients.length }, (_, j) => {
        const upload = startGrpcUpload(client, keyOf(test));
        upload.call.write({ file: Buffer.from(`upload ${i} ${j}`) });
        return upload;
      });
    });
    await expect.poll(() => filesUnder(blobDirOf(test))).toHaveLength(uploadsMax);

    for (const transport of openTransports()) {
      const answer = await transport.upload([{ file: Buffer.from('one more') }], keyOf(test));
      expect(answer, transport.name).toMatchObject({ ok: false, error: { code: 'rate_limited' } });
    }
    // Other requests are not affected.
    expect((await callSharingApi(test, 'GET', '/documents')).status).toBe(200);
    expect(await filesUnder(blobDirOf(test))).toHaveLength(uploadsMax);

    for (let i = 0; i < uploads.length; i += 16) {
      const some = uploads.slice(i, i + 16);
      for (const { call } of some) call.end();
      for (const { answer } of some) expect(await answer).toMatchObject({ ok: true });
    }
    for (const transport of openTransports()) {
      const answer = await transport.upload([{ file: Buffer.from('one more') }], keyOf(test));
      expect(answer, transport.name).toMatchObject({ ok: true });
    }
  });
});
