// Uploads with an Idempotency-Key.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Document } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { newKey } from '../support/creating-calls.ts';
import {
  openStreamTransports,
  type Piece,
  type StreamTransport,
} from '../support/document-streams.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { messageOf } from '../support/manager-calls.ts';
import { describeFeature } from '../support/matrix.ts';
import { addMember, memberScope } from '../support/member-rows.ts';
import { addWorkspace, changeAsOtherProcess } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import { bearer, blobDirOf, callSharingApi, filesUnder, keyOf } from '../support/sharing-api.ts';
import { signToken } from '../support/signed-tokens.ts';

const file = (text: string): Piece => ({ file: Buffer.from(text) });

describeFeature('a repeated upload', (dialect) => {
  let test: TestApp;
  let streams: StreamTransport[] = [];
  beforeAll(async () => {
    test = await startTestApp({ dialect });
    streams = openStreamTransports(test.app);
  });
  afterAll(async () => {
    for (const stream of streams) stream.close();
    await test.remove();
  });
  const stream = () => streams.at(-1) as StreamTransport;

  it('gets the same document, however its file was divided into messages', async () => {
    const credential = { ...keyOf(test), idempotencyKey: newKey() };
    const divided = [
      [{ name: 'Terms' }, file('The terms.')],
      [file('The '), { name: 'Terms' }, file('terms.')],
    ];
    const documents: Document[] = [];
    // A form always has a content type, which is a part of the request.
    for (const one of streams.filter(({ name }) => name !== 'http')) {
      for (const pieces of divided) documents.push(messageOf(await one.upload(pieces, credential)));
    }
    expect(new Set(documents.map(({ id }) => id)).size).toBe(1);
    expect(await filesUnder(blobDirOf(test))).toHaveLength(1);
  });

  it('has a Location header and is marked as a replay', async () => {
    const [http] = streams;
    const seen: (string | null)[][] = [];
    const onHeaders = (headers: Headers) =>
      seen.push([headers.get('location'), headers.get('idempotency-replayed')]);
    const credential = { ...keyOf(test), idempotencyKey: newKey(), onHeaders };
    await http?.upload([{ fileName: 'a.txt', ...file('a') }], credential);
    await http?.upload([{ fileName: 'a.txt', ...file('a') }], credential);
    const [first, again] = seen;
    expect(first?.[0]).toMatch(/^\/.*\/documents\/doc_/);
    expect(seen).toEqual([
      [first?.[0], null],
      [first?.[0], 'true'],
    ]);
    expect(again?.[1]).toBe('true');
  });

  it('succeeds even if the first one has used up the quota', async () => {
    const { db } = test.app.inside;
    const { text, ownerId } = await addWorkspace(db, 'documents:write');
    await changeAsOtherProcess(db, (trx) =>
      trx.updateTable('workspaces').set({ documents_max: 1 }).where('id', '=', ownerId).execute(),
    );
    const credential = { ...bearer(text), idempotencyKey: newKey() };

    const first = await stream().upload([file('The terms.')], credential);
    const again = await stream().upload([file('The terms.')], credential);
    const later = await stream().upload([file('The terms.')], {
      ...credential,
      idempotencyKey: newKey(),
    });

    expect(again).toEqual(first);
    expect(messageOf(first).workspaceId).toBe(ownerId);
    expect(later).toMatchObject({ ok: false, error: { code: 'conflict' } });
  });

  itHoldsFor([
    ['another name', [{ name: 'Rules' }, file('The terms.')]],
    ['other bytes', [{ name: 'Terms' }, file('The rules.')]],
    ['more bytes', [{ name: 'Terms' }, file('The terms. And rules.')]],
  ])('with another name or other bytes is refused', async (_, other) => {
    const credential = { ...keyOf(test), idempotencyKey: newKey() };
    messageOf(await stream().upload([{ name: 'Terms' }, file('The terms.')], credential));
    const before = await filesUnder(blobDirOf(test));
    expect(await stream().upload(other, credential)).toMatchObject({
      ok: false,
      error: { code: 'idempotency_key_reused' },
    });
    await expect.poll(() => filesUnder(blobDirOf(test))).toEqual(before);
  });

  it('is refused if the file is too large or empty, as without a key', async () => {
    const credential = { ...keyOf(test), idempotencyKey: newKey() };
    messageOf(await stream().upload([file('The terms.')], credential));
    expect(await stream().upload([{ name: 'Terms' }], credential)).toMatchObject({
      ok: false,
      error: { code: 'invalid_argument' },
    });
  });

  it('gets the answer of the first one even after the document was deleted', async () => {
    const credential = { ...keyOf(test), idempotencyKey: newKey() };
    const first = messageOf(await stream().upload([file('The terms.')], credential));
    const before = await filesUnder(blobDirOf(test));
    const deletion = await callSharingApi(test, 'DELETE', `/documents/${first.id}`);
    expect(deletion.status).toBe(200);

    expect(messageOf(await stream().upload([file('The terms.')], credential))).toEqual(first);
    await expect.poll(() => filesUnder(blobDirOf(test))).toHaveLength(before.length - 1);
  });

  it('is refused before its bytes are read if the key is too long', async () => {
    const credential = { ...keyOf(test), idempotencyKey: 'k'.repeat(129) };
    for (const one of streams) {
      expect(await one.upload([file('The terms.')], credential), one.name).toMatchObject({
        ok: false,
        error: { code: 'invalid_argument', fields: ['Idempotency-Key'] },
      });
    }
  });

  it('goes to the workspace of its member again, not to another one', async () => {
    const { db } = test.app.inside;
    const [first, second] = [await addWorkspace(db, ''), await addWorkspace(db, '')];
    const sub = await addMember(db, first.ownerId, 'owner');
    const token = await signToken(test.app, { type: 'member', scope: memberScope, sub });
    const credential = { ...bearer(token), idempotencyKey: newKey() };
    const made = messageOf(await stream().upload([file('The terms.')], credential));
    expect(made.workspaceId).toBe(first.ownerId);

    await changeAsOtherProcess(db, (trx) =>
      trx.deleteFrom('members').where('user_id', '=', sub).execute(),
    );
    await addMember(db, second.ownerId, 'owner', sub);

    await expect
      .poll(() => stream().upload([file('The terms.')], credential))
      .toMatchObject({ ok: false, error: { code: 'idempotency_key_reused' } });
  });
});
