import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { freshPostgresDatabase } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';
import { expirePendingBlobs, openStagedBlobs, pendingBlobsOf } from '../support/pending-blobs.ts';
import { type RunningProgram, sampleName, startProgram } from '../support/program.ts';
import { multipartBody, openRawHttp, requestHead } from '../support/raw-http.ts';
import { bearer, filesUnder, sha256 } from '../support/sharing-api.ts';

/** The number of other clients of a PostgreSQL database. */
async function countClients(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    return rows[0]?.count ?? 0;
  } finally {
    await client.end();
  }
}

describeDialects('a crash', (dialect) => {
  // Each round starts the program. The chaos tests kill it hundreds of times on PostgreSQL.
  const rounds =
    dialect === 'sqlite' ? { uploads: 10, deletions: 4 } : { uploads: 4, deletions: 2 };
  let dataDir: string;
  let databaseUrl: string;
  let program: RunningProgram;

  async function start(): Promise<void> {
    const env = { LATCHKEY_DATABASE_URL: databaseUrl, LATCHKEY_BOOTSTRAP: 'demo' };
    program = await startProgram(env, dataDir);
  }

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'latchkey-crash-'));
    databaseUrl =
      dialect === 'postgres' ? await freshPostgresDatabase() : `sqlite:${dataDir}/latchkey.db`;
    await start();
  });
  afterEach(async () => {
    await program.kill();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Kills the program, and waits until PostgreSQL no longer executes what it has sent. */
  async function kill(): Promise<void> {
    await program.kill();
    if (dialect === 'postgres') await expect.poll(() => countClients(databaseUrl)).toBe(0);
  }

  /** Ends the leases of the killed process and settles its blobs. */
  async function sweep(): Promise<void> {
    const db = await openDatabase(databaseUrl);
    const staged = await openStagedBlobs(db, path.join(dataDir, 'blobs'));
    await expirePendingBlobs(db);
    await staged.sweep();
    // A sweep of the program may have been first, and may not have finished.
    await expect.poll(() => pendingBlobsOf(db)).toEqual([]);
    await db.destroy();
  }

  /**
   * Returns the uploads after a sweep. Every stored version, also of the sample, must be intact.
   */
  async function storedDigests(): Promise<string[]> {
    await sweep();
    const db = await openDatabase(databaseUrl);
    const rows = await db
      .selectFrom('document_versions')
      .innerJoin('documents', 'documents.id', 'document_id')
      .selectAll('document_versions')
      .select('name')
      .execute()
      .finally(() => db.destroy());
    const blobs = path.join(dataDir, 'blobs');
    const expected = rows.map((row) => path.join(row.blob_id.slice(0, 2), row.blob_id)).sort();
    expect(await filesUnder(blobs)).toEqual(expected);
    for (const row of rows) {
      const bytes = await readFile(path.join(blobs, row.blob_id.slice(0, 2), row.blob_id));
      const actual = { size_bytes: bytes.length, sha256: sha256(bytes) };
      expect(actual).toEqual({ size_bytes: row.size_bytes, sha256: row.sha256 });
    }
    const uploaded = rows.filter((row) => row.name !== sampleName);
    return uploaded.map((row) => row.sha256);
  }

  async function beginUpload(content: Buffer, route = '/api/v1/documents') {
    const body = multipartBody([{ name: 'file', filename: 'a.bin', body: content }], 'frontier');
    const connection = await openRawHttp(Number(new URL(program.env.LATCHKEY_BASE_URL).port));
    await connection.write(
      requestHead('POST', route, {
        Host: 'latchkey.test',
        Authorization: bearer(program.env.API_KEY).authorization,
        'Content-Type': 'multipart/form-data; boundary=frontier',
        'Content-Length': String(body.length),
      }),
    );
    return { connection, body };
  }

  /** Returns the route for versions of the document. */
  async function uploadWhole(content: Buffer): Promise<string> {
    const { connection, body } = await beginUpload(content);
    await connection.write(body);
    const response = await connection.response();
    expect(response?.status).toBe(201);
    connection.end();
    return `${response?.headers.get('location')}/versions`;
  }

  it('during an upload keeps the stored documents and removes the partial upload', async () => {
    const kept = Buffer.alloc(300_000, 'k');
    await uploadWhole(kept);
    const { connection, body } = await beginUpload(Buffer.alloc(1_000_000, 'a'));
    await connection.write(body.subarray(0, 600_000));
    const blobs = path.join(dataDir, 'blobs');
    // The sample, the stored document and the partial upload.
    await expect.poll(() => filesUnder(blobs)).toHaveLength(3);

    await kill();
    connection.reset();
    expect(await filesUnder(blobs)).toHaveLength(3);
    await start();

    expect(await storedDigests()).toEqual([sha256(kept)]);
  });

  it('at the end of an upload stores it or not, and keeps an acknowledged one', async () => {
    const kept = Buffer.alloc(1_000, 'k');
    const versions = await uploadWhole(kept);
    let acknowledged = [sha256(kept)];
    for (let round = 0; round < rounds.uploads; round++) {
      const contents = Array.from({ length: 4 }, (_, i) => Buffer.alloc(100_000, `${round} ${i}`));
      const uploads = await Promise.all(
        contents.map((content, i) => beginUpload(content, i % 2 === 0 ? versions : undefined)),
      );
      const answers = uploads.map(async ({ connection, body }, i) => {
        await connection.write(body);
        const response = await connection.response();
        return response?.status === 201 ? sha256(contents[i] ?? body) : undefined;
      });

      await sleep((round * 30) / rounds.uploads);
      await kill();
      for (const digest of await Promise.all(answers)) {
        if (digest !== undefined) acknowledged = [...acknowledged, digest];
      }
      for (const { connection } of uploads) connection.reset();
      await start();

      const digests = await storedDigests();
      expect(digests).toEqual(expect.arrayContaining(acknowledged));
      const possible = new Set([...acknowledged, ...contents.map(sha256)]);
      expect(digests.filter((digest) => !possible.has(digest))).toEqual([]);
      // From now on a document that was stored without an answer must be kept.
      acknowledged = digests;
    }
  }, 240_000);

  it('during a deletion leaves the complete document or removes it', async () => {
    for (let round = 0; round < rounds.deletions; round++) {
      const contents = Array.from({ length: 4 }, (_, i) => Buffer.alloc(10_000, `${round} ${i}`));
      await Promise.all(contents.map(uploadWhole));
      const headers = bearer(program.env.API_KEY);
      const url = `${program.env.LATCHKEY_SHARING_BASE_URL}/documents`;
      const list = await fetch(url, { headers });
      const { documents } = (await list.json()) as { documents: { id: string }[] };
      const deletions = documents.map(({ id }) =>
        fetch(`${url}/${id}`, { method: 'DELETE', headers }).catch(() => undefined),
      );

      await sleep((round * 8) / rounds.deletions);
      await kill();
      await Promise.all(deletions);
      await start();

      await storedDigests();
    }
  }, 120_000);

  it('during the start after a crash loses no further data', async () => {
    await uploadWhole(Buffer.alloc(50_000, 'k'));
    const { connection, body } = await beginUpload(Buffer.alloc(1_000_000, 'a'));
    await connection.write(body.subarray(0, 600_000));
    await kill();
    connection.reset();
    await start();
    await kill();
    await start();

    expect(await storedDigests()).toHaveLength(1);
  });
});
