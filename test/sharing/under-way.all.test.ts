// Downloads during which the document is deleted, or the reader or caller loses access.

import { createHash } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { parseAnyCredentialId } from '../../src/base/crypto/credential-format.ts';
import { openDiskBlobs } from '../../src/sharing/blobs/disk.ts';
import { createDocuments } from '../../src/sharing/documents/documents.ts';
import { watchInvalidations } from '../../src/storage/cache/invalidation.ts';
import { describeApp } from '../support/app-suite.ts';
import { digestOf as tokenDigestOf } from '../support/dpop.ts';
import { cookieOf } from '../support/gated-document.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { describeFeature } from '../support/matrix.ts';
import { addMember, credentialFor } from '../support/member-rows.ts';
import { addWorkspace, changeAsOtherProcess, revoke } from '../support/owner-rows.ts';
import { useProgram } from '../support/program-readers.ts';
import { findFailures } from '../support/rule.ts';
import {
  bearer,
  blobDirOf,
  callSharingApi,
  filesUnder,
  keyOf,
  makeLink,
  openFilesUnder,
  sha256,
  upload,
} from '../support/sharing-api.ts';

// More than all buffers between server and client hold, so that the server is still reading.
const bytes = Buffer.alloc(40_000_000, 'The terms. ');

/** Begins a download without reading from it. */
function begin(url: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false });
    request.once('error', reject);
    request.once('response', (response) => resolve(response.pause()));
  });
}

/** The service decides again about a reader before a chunk that is later than this. */
const untilChecked = () => new Promise((resolve) => setTimeout(resolve, 2_500));

async function digestOf(response: IncomingMessage): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of response) hash.update(chunk);
  return hash.digest('hex');
}

describeFeature('a running download', (dialect) => {
  async function start(): Promise<TestApp> {
    const test = await startTestApp({ dialect });
    onTestFinished(() => test.remove());
    return test;
  }

  const share = async (test: TestApp, options = {}) =>
    shareAgain(test, (await upload(test, bytes)).id, options);

  async function shareAgain(test: TestApp, id: string, options = {}) {
    const link = await makeLink(test, id, { allow_download: true, ...options });
    const cookie = cookieOf(await fetch(link.url));
    const ways: [url: string, headers: Record<string, string>, after: number][] = [
      [`${link.url}/download`, { cookie }, 404],
      [`${test.app.publicUrl}/api/v1/documents/${id}/file`, keyOf(test), 404],
    ];
    return { id, link, ways };
  }

  it('completes for the owner when the document is deleted, and the file is removed', async () => {
    const test = await start();
    const { id, ways } = await share(test);
    const running = await Promise.all(ways.map(([url, headers]) => begin(url, headers)));
    await expect.poll(() => openFilesUnder(blobDirOf(test))).toHaveLength(1);

    expect((await callSharingApi(test, 'DELETE', `/documents/${id}`)).status).toBe(200);

    await expect.poll(() => filesUnder(blobDirOf(test))).toEqual([]);
    for (const [url, headers] of ways) {
      const answer = await fetch(url, { headers });
      expect(answer.status, url).toBe(404);
      await answer.arrayBuffer();
    }
    await untilChecked();
    const [ofReader, ofOwner] = running.map(digestOf);
    await expect(ofReader).rejects.toThrow('aborted');
    expect(await ofOwner).toBe(sha256(bytes));
    await expect.poll(() => openFilesUnder(blobDirOf(test))).toEqual([]);
  });

  it('ends for its reader when the link changes, and no other can start', async () => {
    const test = await start();
    const { id } = await upload(test, bytes);
    const changes = [
      ['the link is revoked', 'DELETE', undefined, 410],
      ['the gate changes', 'PATCH', { password: 'a long password' }, 403],
      ['downloads are forbidden', 'PATCH', { allow_download: false }, 403],
    ] as const;
    const begun = await Promise.all(
      changes.map(async ([change, method, body, status]) => {
        const { link, ways } = await shareAgain(test, id);
        const [[url, headers] = ['', {}]] = ways;
        const running = await begin(url, headers);
        return { change, link, url, headers, method, body, status, running };
      }),
    );

    for (const { link, method, body } of begun) {
      expect((await callSharingApi(test, method, `/links/${link.id}`, body)).status).toBe(200);
    }

    for (const { change, url, headers, status } of begun) {
      const again = await fetch(url, { headers: { ...headers, range: 'bytes=0-9' } });
      await again.arrayBuffer();
      expect(again.status, change).toBe(status);
    }
    await untilChecked();
    const downloads = begun.map((one) => [one.change, one.running] as const);
    const failures = await findFailures(downloads, (_, download) =>
      expect(digestOf(download)).rejects.toThrow('aborted'),
    );
    expect(failures).toEqual([]);
  });

  it('ends for a caller of the API whose key, role or workspace ends', async () => {
    const test = await start();
    const { db } = test.app.inside;
    const { ways } = await share(test);
    const [url = ''] = ways.at(-1) ?? [];
    const memberId = await addMember(db, test.env.WORKSPACE_ID, 'member');
    const member = { type: 'member', scope: 'documents:read', sub: memberId } as const;
    const other = await addWorkspace(db, 'documents:read documents:write');
    const otherTest = { ...test, env: { ...test.env, API_KEY: other.text } };
    const theirs = await upload(otherTest, bytes);
    const theirUrl = `${test.app.publicUrl}/api/v1/documents/${theirs.id}/file`;
    const sub = await addMember(db, test.env.WORKSPACE_ID, 'member');
    const kept = await begin(url, await credentialFor(test, { ...member, sub }));
    const running = [
      ['the API key is revoked', await begin(url, keyOf(test))],
      ['the member is removed', await begin(url, await credentialFor(test, member))],
      ['the workspace is deleted', await begin(theirUrl, keyOf(otherTest))],
    ] as const;
    for (const [name, { statusCode }] of running) expect(statusCode, name).toBe(200);

    await changeAsOtherProcess(db, async (trx) => {
      await revoke(trx, parseAnyCredentialId(test.env.API_KEY) ?? '');
      await trx.deleteFrom('members').where('user_id', '=', memberId).execute();
      const deleted = { delete_time: Date.now() + 1e9 };
      await trx.updateTable('workspaces').set(deleted).where('id', '=', other.ownerId).execute();
    });

    await untilChecked();
    const failures = await findFailures(running, (_, download) =>
      expect(digestOf(download)).rejects.toThrow('aborted'),
    );
    expect(failures).toEqual([]);
    expect(await digestOf(kept)).toBe(sha256(bytes));
  });

  it('completes for a slow reader who used the last view of the link', async () => {
    const test = await start();
    const { link, ways } = await share(test, { view_limit: 1 });
    const [[url, headers] = ['', {}]] = ways;
    const running = await begin(url, headers);
    expect((await fetch(link.url)).status).toBe(410);
    await untilChecked();
    expect(await digestOf(running)).toBe(sha256(bytes));
  });

  it('returns 404 if the document is deleted between reading its row and its bytes', async () => {
    const test = await start();
    const { db } = test.app.inside;
    const blobs = openDiskBlobs(blobDirOf(test));
    onTestFinished(() => blobs.close());
    const invalidations = await watchInvalidations(db);
    onTestFinished(() => invalidations.stop());
    const documents = createDocuments({ db, invalidations, blobs, observe: () => {} });
    const { id } = await upload(test, Buffer.from('The terms.'));
    const row = await documents.require(test.env.WORKSPACE_ID, id);
    const opened = documents.open(row, { range: '', ifRange: '', ifNoneMatch: '' });
    const damaged = documents.open(
      { ...row, blob_id: 'none' },
      { range: '', ifRange: '', ifNoneMatch: '' },
    );
    const read = async (bytes: AsyncIterable<Uint8Array>) => {
      for await (const _ of bytes);
    };
    // A missing file with an existing row is an internal error.
    await expect(read(damaged.bytes())).rejects.toMatchObject({ damage: 'missing' });

    await callSharingApi(test, 'DELETE', `/documents/${id}`);

    await expect(read(opened.bytes())).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is complete or not found during a deletion', async () => {
    const test = await start();
    const small = Buffer.alloc(200_000, 'b');
    const seen = new Set<number>();
    for (let round = 0; round < 12; round++) {
      const { id } = await upload(test, small);
      const link = await makeLink(test, id, { allow_download: true });
      const cookie = cookieOf(await fetch(link.url));
      const file = `${test.app.publicUrl}/api/v1/documents/${id}/file`;
      const read = async (url: string, headers: Record<string, string>) => {
        const answer = await fetch(url, { headers });
        const body = Buffer.from(await answer.arrayBuffer());
        if (answer.status === 200) expect(sha256(body)).toBe(sha256(small));
        return answer.status;
      };
      const reads = () => [read(`${link.url}/download`, { cookie }), read(file, keyOf(test))];
      const first = reads();
      const deleted = callSharingApi(test, 'DELETE', `/documents/${id}`);
      const all = [...first, ...Array.from({ length: 5 }, reads).flat()];
      for (const status of await Promise.all(all)) seen.add(status);
      expect((await deleted).status).toBe(200);
    }
    expect([...seen].filter((status) => ![200, 404].includes(status))).toEqual([]);
    await expect.poll(() => filesUnder(blobDirOf(test))).toEqual([]);
    expect(await test.logText()).not.toContain('"code":"internal"');
  });
});

describeApp('a running download of a program', (suite) => {
  const program = useProgram(suite);

  it('ends when its token is revoked, and completes with one proof of a key', async () => {
    const { id } = await upload(suite.testApp, bytes);
    const options = { allow_download: true, program_access: true };
    const url = `${(await makeLink(suite.testApp, id, options)).url}/download`;
    const token = await program.delegated();
    const bound = await program.boundToken();
    const proof = { htm: 'GET', htu: url, ath: tokenDigestOf(bound) };
    const dpop = await program.place().holder.prove(proof);
    const revoked = await begin(url, bearer(token));
    const proven = await begin(url, { authorization: `DPoP ${bound}`, dpop });
    expect([revoked.statusCode, proven.statusCode]).toEqual([200, 200]);

    await program.revoke(token);

    await untilChecked();
    const digests = [revoked, proven].map(digestOf);
    await expect(digests[0]).rejects.toThrow('aborted');
    expect(await digests[1]).toBe(sha256(bytes));
  });
});
