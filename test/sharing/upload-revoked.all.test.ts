// Uploads whose caller loses its access while the bytes arrive.

import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { Client, credentials } from '@grpc/grpc-js';
import { expect, it, onTestFinished } from 'vitest';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { auditEventsOf } from '../support/audit-rows.ts';
import { startGrpcUpload } from '../support/document-streams.ts';
import { startTestApp } from '../support/harness.ts';
import { endlessPdf } from '../support/hostile-pdfs.ts';
import { addMember } from '../support/member-rows.ts';
import { addWorkspace, changeAsOtherProcess, revoke } from '../support/owner-rows.ts';
import { multipartBody, openRawHttp, requestHead } from '../support/raw-http.ts';
import { itHoldsFor, product } from '../support/rule.ts';
import { bearer, expectNothingStored } from '../support/sharing-api.ts';
import { signToken } from '../support/signed-tokens.ts';
import { type Credential, connectError, headersOf } from '../support/transports.ts';
import { useStarted } from '../support/use-started.ts';

/** Longer than a check may be old. */
const heldMs = 400;
const scope = 'documents:write documents:read';

const test = useStarted(() => startTestApp());

type Started = {
  /** Sends more bytes of the file. */
  more(): void;
  /** Sends the end. */
  end(): void;
  /** The error's code, or `ok`. */
  readonly code: Promise<string>;
};

type Step = 'more' | 'end';

type Start = (credential: Credential, file: Buffer, workspaceId?: string) => Promise<Started>;

const overHttp: Start = async (credential, file, workspaceId) => {
  const connection = await openRawHttp(Number(new URL(test.app.publicUrl).port));
  onTestFinished(() => connection.reset());
  const named = workspaceId === undefined ? [] : [{ name: 'workspace_id', body: workspaceId }];
  const form = multipartBody([...named, { name: 'file', filename: 'a', body: file }], 'frontier');
  const head = requestHead('POST', '/api/v1/documents', {
    Host: 'latchkey.test',
    ...headersOf(credential),
    'Content-Type': 'multipart/form-data; boundary=frontier',
    'Content-Length': String(form.length),
  });
  const half = form.length / 2;
  await connection.write(head);
  await connection.write(form.subarray(0, half));
  const code = connection.response().then((response) => {
    if (response?.status === 201) return 'ok';
    return String(JSON.parse(String(response?.body)).code);
  });
  return {
    more: () => void connection.write(form.subarray(half, -10)),
    end: () => void connection.write(form.subarray(-10)),
    code,
  };
};

const overGrpc: Start = async (credential, file, workspaceId) => {
  const client = new Client(test.app.grpcAddress, credentials.createInsecure());
  onTestFinished(() => client.close());
  const { call, answer } = startGrpcUpload(client, credential);
  const half = file.length / 2;
  if (workspaceId !== undefined) call.write({ workspaceId });
  call.write({ file: file.subarray(0, half) });
  return {
    more: () => void call.write({ file: file.subarray(half) }),
    end: () => call.end(),
    code: answer.then((one) => (one.ok ? 'ok' : one.error.code)),
  };
};

const overConnect: Start = async (credential, file, workspaceId) => {
  const transport = createConnectTransport({ baseUrl: test.app.publicUrl, httpVersion: '1.1' });
  const client = createClient(DocumentService, transport);
  let more = () => {};
  let end = () => {};
  const continued = new Promise<void>((resolve) => {
    more = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  onTestFinished(() => {
    more();
    end();
  });
  const half = file.length / 2;
  async function* requests() {
    if (workspaceId !== undefined) yield { workspaceId };
    yield { file: file.subarray(0, half) };
    await continued;
    yield { file: file.subarray(half) };
    await ended;
  }
  const code = client.uploadDocument(requests(), { headers: headersOf(credential) }).then(
    () => 'ok',
    (error: unknown) => connectError(error as Parameters<typeof connectError>[0]).code,
  );
  return { more, end, code };
};

const transports: [string, Start][] = [
  ['HTTP', overHttp],
  ['gRPC', overGrpc],
  ['Connect', overConnect],
];

async function newKey() {
  const { credentialId, text, ownerId } = await addWorkspace(test.app.inside.db, scope);
  return {
    credential: { ...bearer(text), requestId: `upload-${credentialId}` },
    credentialId,
    workspaceId: ownerId,
    async revoke() {
      await changeAsOtherProcess(test.app.inside.db, (trx) => revoke(trx, credentialId));
      await expect.poll(() => statusOf(text)).toBe(401);
    },
  };
}

/** The status of a request with the credential. */
async function statusOf(credential: string): Promise<number> {
  const url = `${test.app.publicUrl}/api/v1/documents`;
  return (await fetch(url, { headers: bearer(credential) })).status;
}

const text = Buffer.alloc(100_000, 'a');

const moments: [string, Step[], Step[]][] = [
  ['before the last bytes', [], ['more', 'end']],
  ['before the last bytes, without an end', [], ['more']],
  ['before the end of the stream', ['more'], ['end']],
];

itHoldsFor(product(transports, moments), 9)(
  'an upload with a key that is revoked is refused',
  async (_name, start, _, before, after) => {
    const key = await newKey();
    const upload = await start(key.credential, text);
    for (const step of before) upload[step]();
    await sleep(heldMs);
    await key.revoke();
    for (const step of after) upload[step]();

    expect(await upload.code).toBe('unauthenticated');
    await expectNothingStored(test);
    const events = () => auditEventsOf(test.app.inside.db, key.credential.requestId);
    await expect.poll(events).toHaveLength(1);
    expect(await events()).toMatchObject([
      {
        action: 'DocumentService.UploadDocument',
        code: 'unauthenticated',
        actor_id: key.credentialId,
        target: key.credentialId,
      },
    ]);
  },
);

itHoldsFor(transports, 3)(
  'an upload by a member who is removed from the workspace is refused',
  async (_, start) => {
    const { db } = test.app.inside;
    const { ownerId: workspaceId } = await addWorkspace(db, '');
    const sub = await addMember(db, workspaceId, 'owner');
    const token = await signToken(test.app, { type: 'member', scope, sub });
    const upload = await start(bearer(token), text, workspaceId);
    await sleep(heldMs);
    await changeAsOtherProcess(db, (trx) =>
      trx.deleteFrom('members').where('user_id', '=', sub).execute(),
    );
    await expect.poll(() => statusOf(token)).toBe(403);
    upload.more();
    upload.end();

    expect(await upload.code).toBe('forbidden');
    await expectNothingStored(test);
  },
);

it('an upload with a key that is revoked while its pages are counted is refused', async () => {
  const key = await newKey();
  const upload = await overHttp(key.credential, endlessPdf());
  upload.more();
  upload.end();
  await sleep(heldMs);
  await key.revoke();

  expect(await upload.code).toBe('unauthenticated');
  await expectNothingStored(test);
});

it('an upload with a token that expires meanwhile is accepted', async () => {
  const { ownerId: workspaceId } = await addWorkspace(test.app.inside.db, '');
  const token = await signToken(test.app, { type: 'service', scope, lifetimeSeconds: 5 });
  const upload = await overGrpc(bearer(token), text, workspaceId);
  await expect.poll(() => statusOf(token)).toBe(401);
  upload.more();
  await sleep(heldMs);
  upload.end();

  expect(await upload.code).toBe('ok');
});
