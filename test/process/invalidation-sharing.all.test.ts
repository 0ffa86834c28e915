// Two processes on one database and one folder. If one process revokes a key, a member or a link,
// the other refuses it, too.
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { ApiKeyService } from '../../gen/latchkey/sharing/v1/api_key_pb.js';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { MemberRole, WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { openDatabase } from '../../src/storage/database.ts';
import type { Database } from '../../src/storage/schema.ts';
import { freshPostgresDatabase } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { cookieOf } from '../support/gated-document.ts';
import { codeOf, messageOf } from '../support/manager-calls.ts';
import { describeDialects } from '../support/matrix.ts';
import { newDataDir, type RunningProgram, startProgram } from '../support/program.ts';
import { multipartBody } from '../support/raw-http.ts';
import { type Credential, openTransports, type Transport } from '../support/transports.ts';
import { addUser } from '../support/user-rows.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

const keys = ApiKeyService.method;
const { listDocuments, deleteDocument } = DocumentService.method;
const { createLink, updateLink, revokeLink } = LinkService.method;
const { putMember, removeMember } = WorkspaceService.method;
const { signIn } = SessionService.method;

const scopes = ['documents:read', 'documents:write', 'links:read', 'links:write'];
const publicUrl = 'http://latchkey.test';

describeDialects('a process', (dialect) => {
  let db: Database;
  let programs: RunningProgram[];
  let first: Transport;
  let second: Transport;
  let staff: Credential;
  let workspaceId: string;
  const origins = [new URL('http://127.0.0.1'), new URL('http://127.0.0.1')];

  beforeAll(async () => {
    const dataDir = await newDataDir();
    const url =
      dialect === 'postgres' ? await freshPostgresDatabase() : `sqlite:${dataDir}/latchkey.db`;
    const env = {
      LATCHKEY_DATABASE_URL: url,
      LATCHKEY_BOOTSTRAP: 'demo',
      LATCHKEY_PUBLIC_URL: publicUrl,
    };
    programs = [];
    for (const origin of origins) {
      origin.port = String(await freePort());
      const address = { LATCHKEY_HTTP_ADDRESS: origin.host };
      programs.push(await startProgram({ ...env, ...address }, dataDir));
    }
    db = await openDatabase(url);
    const [one, two] = programs.map(grpcTransportOf);
    if (one === undefined || two === undefined) throw new Error('there are no two transports');
    [first, second] = [one, two];
    const { STAFF_EMAIL: email, STAFF_PASSWORD: password, WORKSPACE_ID } = own();
    workspaceId = WORKSPACE_ID;
    staff = bearer(messageOf(await first.call(signIn, { email, password })).accessToken);
  });
  afterAll(async () => {
    first?.close();
    second?.close();
    await db?.destroy();
    for (const program of programs ?? []) await program.remove();
  });

  const own = () => {
    const [program] = programs;
    if (program === undefined) throw new Error('there is no program');
    return program.env;
  };
  const manage: Transport['call'] = (method, request) => first.call(method, request, staff);

  async function makeKey(fields = {}) {
    const request = { workspaceId, name: 'A key', scopes, ...fields };
    const { key, apiKey } = messageOf(await manage(keys.createApiKey, request));
    return { keyId: key?.id ?? '', credential: bearer(apiKey) };
  }
  const listsAt = async (transport: Transport, credential: Credential) =>
    codeOf(await transport.call(listDocuments, {}, credential));

  const losses: [string, (keyId: string) => Promise<unknown>][] = [
    ['is revoked', (keyId) => manage(keys.revokeApiKey, { workspaceId, keyId })],
    [
      'is rotated without an overlap',
      (keyId) => manage(keys.rotateApiKey, { workspaceId, keyId, overlapSeconds: 0 }),
    ],
  ];
  it.each(losses)('refuses a key that %s at once, and the other within a second', async (...of) => {
    const { keyId, credential } = await makeKey();
    // Both processes cache the key from now on.
    for (const transport of [first, second, second]) {
      expect(await listsAt(transport, credential)).toBe('ok');
    }

    expect(await of[1](keyId)).toMatchObject({ ok: true });

    expect(await listsAt(first, credential)).toBe('unauthenticated');
    await expectWithinOneSecond(db, () => listsAt(second, credential), 'unauthenticated');
  });

  it('rejects a rotated key after the overlap, and accepts the new one', async () => {
    const { keyId, credential } = await makeKey();
    const request = { workspaceId, keyId, overlapSeconds: 1 };
    const { apiKey } = messageOf(await manage(keys.rotateApiKey, request));
    for (const transport of [first, second])
      expect(await listsAt(transport, bearer(apiKey))).toBe('ok');
    for (const transport of [first, second]) {
      await expect.poll(() => listsAt(transport, credential)).toBe('unauthenticated');
      expect(await listsAt(transport, bearer(apiKey))).toBe('ok');
    }
  });

  it('rejects an expired key, whichever process created it', async () => {
    const { credential } = await inTime(() => makeKey({ expireTime: soon() }));
    for (const transport of [second, first]) {
      await expect.poll(() => listsAt(transport, credential)).toBe('unauthenticated');
    }
  });

  it('refuses a member after the other has removed it', async () => {
    const password = 'a long enough password';
    const { id: userId, email } = await addUser(db, { kind: 'member', password });
    messageOf(await manage(putMember, { workspaceId, userId, role: MemberRole.MEMBER }));
    const { accessToken } = messageOf(await second.call(signIn, { email, password }));
    const credential = bearer(accessToken);
    for (const transport of [first, second]) {
      await expect.poll(() => listsAt(transport, credential)).toBe('ok');
    }

    messageOf(await manage(removeMember, { workspaceId, userId }));

    expect(await listsAt(first, credential)).toBe('forbidden');
    await expectWithinOneSecond(db, () => listsAt(second, credential), 'forbidden');
  });

  /** Uploads a document and creates a link to it. Both processes serve the link's file. */
  async function share(credential: ReturnType<typeof bearer>) {
    const [here = '', there = ''] = origins.map(({ origin }) => origin);
    const form = multipartBody([{ name: 'file', filename: 'a.pdf', body: '%PDF-1.7' }], 'frontier');
    const uploaded = await fetch(`${here}/api/v1/documents`, {
      method: 'POST',
      headers: { ...credential, 'content-type': 'multipart/form-data; boundary=frontier' },
      body: new Uint8Array(form),
    });
    const { id: documentId } = (await uploaded.json()) as { id: string };
    const { link } = messageOf(await first.call(createLink, { documentId }, credential));
    const path = (link?.url ?? '').slice(publicUrl.length);
    const cookie = cookieOf(await fetch(here + path));
    const statusAt = async (origin: string) => {
      const answer = await fetch(`${origin}${path}/file`, { headers: { cookie } });
      await answer.arrayBuffer();
      return answer.status;
    };
    const readHere = () => statusAt(here);
    const readThere = () => statusAt(there);
    // Both processes cache the link and the document from now on.
    for (const read of [readHere, readThere, readThere]) expect(await read()).toBe(200);
    return { here, there, documentId, linkId: link?.id ?? '', readHere, readThere };
  }

  const ends: [string, 403 | 404 | 410, (linkId: string, documentId: string) => unknown][] = [
    ['is revoked', 410, (linkId) => manage(revokeLink, { workspaceId, linkId })],
    [
      'got another gate',
      403,
      (linkId) => manage(updateLink, { workspaceId, linkId, emailRequired: true }),
    ],
    [
      'was deleted with its document',
      404,
      (_, documentId) => manage(deleteDocument, { workspaceId, documentId }),
    ],
  ];
  it.each(ends)('refuses a link that %s at once, and the other within a second', async (...of) => {
    const [, status, end] = of;
    const { credential } = await makeKey();
    const { linkId, documentId, readHere, readThere } = await share(credential);

    expect(await end(linkId, documentId)).toMatchObject({ ok: true });

    expect(await readHere()).toBe(status);
    await expectWithinOneSecond(db, readThere, status);
  });

  it('refuses a link that expires, whichever process set the expiry', async () => {
    const { credential } = await makeKey();
    const { linkId, readHere, readThere } = await share(credential);

    await inTime(async () =>
      messageOf(await manage(updateLink, { workspaceId, linkId, expireTime: soon() })),
    );

    for (const read of [readHere, readThere]) await expect.poll(read).toBe(410);
  });

  it('refuses a deleted document at once, and the other within a second', async () => {
    const { credential } = await makeKey();
    const { here, there, documentId } = await share(credential);
    // A HEAD request does not read the bytes, which are gone at once.
    const headAt = async (origin: string) => {
      const url = `${origin}/api/v1/documents/${documentId}/file`;
      return (await fetch(url, { method: 'HEAD', headers: credential })).status;
    };
    for (const origin of [here, there, there]) expect(await headAt(origin)).toBe(200);

    messageOf(await manage(deleteDocument, { workspaceId, documentId }));

    expect(await headAt(here)).toBe(404);
    await expectWithinOneSecond(db, () => headAt(there), 404);
  });
});

const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

/** An expiry that is valid because it is in the future. */
const soon = () => timestampFromMs(Date.now() + 1_000);

/** Repeats a call whose expiry had passed when it reached a process that the machine delayed. */
async function inTime<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!String(error).includes('invalid_argument')) throw error;
    }
  }
}

function grpcTransportOf({ env }: RunningProgram): Transport {
  const transports = openTransports({
    publicUrl: env.LATCHKEY_BASE_URL,
    grpcAddress: env.LATCHKEY_GRPC_ADDRESS,
  });
  const transport = transports.find(({ name }) => name === 'grpc');
  if (transport === undefined) throw new Error('there is no such transport');
  return transport;
}
