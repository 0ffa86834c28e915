// Changing and revoking several links at once.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { expect, it } from 'vitest';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { generateCredential } from '../../src/base/crypto/credential-format.ts';
import { insertCredential } from '../../src/credentials/store.ts';
import { describeApp } from '../support/app-suite.ts';
import { addWorkspace, changeAsOtherProcess, updateRow } from '../support/owner-rows.ts';
import {
  callSharingApi,
  keyOf,
  type LinkFields,
  makeLink,
  upload,
} from '../support/sharing-api.ts';
import { transportNames } from '../support/transports.ts';

type Answer = {
  readonly links: LinkFields[];
  readonly code?: string;
  readonly errors?: { field: string; detail: string }[];
};

const hour = 3_600_000;
const after = (hours: number) => new Date(Date.now() + hours * hour).toISOString();

describeApp('several links', (suite) => {
  const call = (
    method: 'batchCreate' | 'batchUpdate' | 'batchRevoke',
    body: object,
    headers = keyOf(suite.testApp),
  ) => callSharingApi<Answer>(suite.testApp, 'POST', `/links:${method}`, body, headers);

  async function makeLinks(count: number): Promise<LinkFields[]> {
    const { id } = await upload(suite.testApp, Buffer.from('The terms.'), 'Terms.txt');
    const requests = Array.from({ length: count }, (_, i) => ({
      ...{ document_id: id, recipient: `reader${i}@example.com` },
    }));
    const path = '/links:batchCreate';
    return (await callSharingApi<Answer>(suite.testApp, 'POST', path, { requests })).body.links;
  }
  const rowsOf = (ids: readonly string[]) =>
    suite.app.inside.db.selectFrom('links').selectAll().where('id', 'in', ids).execute();
  async function eventsOf(action: string, ids: readonly string[]): Promise<string[]> {
    const events = await suite.app.inside.db
      .selectFrom('audit_events')
      .select('target')
      .where('action', '=', `LinkService.${action}`)
      .where('code', '=', 'ok')
      .where('target', 'in', ids)
      .execute();
    return events.map(({ target }) => target).sort();
  }

  it('get different expiry times, and get them back, over every transport', async () => {
    const links = await makeLinks(3);
    const key = keyOf(suite.testApp);
    const updateMask = { paths: ['expire_time'] };
    const times = [Date.now() + hour, Date.now() + 2 * hour, undefined];
    for (const name of transportNames) {
      const change = (chosen: readonly (number | undefined)[]) => {
        const requests = links.map(({ id: linkId }, i) => {
          const ms = chosen[i];
          const time = ms === undefined ? {} : { expireTime: timestampFromMs(ms) };
          return { linkId, updateMask, ...time };
        });
        const { batchUpdateLinks } = LinkService.method;
        return suite.transport(name).call(batchUpdateLinks, { requests }, key);
      };
      for (const chosen of [times, times.map(() => Date.now() + 9 * hour), times]) {
        const answer = await change(chosen);
        if (!answer.ok) throw new Error(answer.error.message);
        const found = answer.message.links.map(({ id, expireTime }) => [id, expireTime]);
        const wanted = chosen.map((ms) => (ms === undefined ? undefined : timestampFromMs(ms)));
        expect(found, name).toEqual(links.map(({ id }, i) => [id, wanted[i]]));
      }
    }
    const ids = links.map(({ id }) => id);
    expect(await eventsOf('BatchUpdateLinks', ids)).toHaveLength(27);
  });

  it('are revoked 200 at once, over every transport, and again without an effect', async () => {
    const [first, ...many] = await makeLinks(200);
    if (first === undefined) throw new Error('there are no links');
    await callSharingApi(suite.testApp, 'DELETE', `/links/${first.id}`);
    const [before] = await rowsOf([first.id]);
    const ids = [first, ...many].map(({ id }) => id);
    for (const name of transportNames) {
      const { batchRevokeLinks } = LinkService.method;
      const some = name === 'http' ? ids : ids.slice(0, 20);
      const answer = await suite
        .transport(name)
        .call(batchRevokeLinks, { ids: some }, keyOf(suite.testApp));
      expect(answer.ok, name).toBe(true);
    }
    for (const { url } of [first, ...many.slice(0, 3)]) expect((await fetch(url)).status).toBe(410);
    const rows = await rowsOf(ids);
    expect(rows.filter(({ revoke_time }) => revoke_time !== null)).toHaveLength(200);
    expect(rows.find(({ id }) => id === first.id)).toEqual(before);
    expect(await eventsOf('BatchRevokeLinks', ids.slice(0, 2))).toHaveLength(6);
  });

  it('all keep their state if one request is refused, and the error names it', async () => {
    const { id } = await upload(suite.testApp, Buffer.from('The terms.'), 'Terms.txt');
    const one = await makeLink(suite.testApp, id);
    const two = await makeLink(suite.testApp, id);
    const revoked = await makeLink(suite.testApp, id);
    await callSharingApi(suite.testApp, 'DELETE', `/links/${revoked.id}`);
    const other = await addWorkspace(suite.app.inside.db, 'links:read links:write');
    const theirs = await suite.app.inside.db.selectFrom('links').selectAll().limit(1).execute();
    const foreign = {
      ...theirs[0],
      id: 'lnk_foreign',
      slug: 'foreign',
      workspace_id: other.ownerId,
    };
    await suite.app.inside.db
      .insertInto('links')
      .values(foreign as never)
      .execute();
    const before = await rowsOf([one.id, two.id, revoked.id, 'lnk_foreign']);

    const revoke: [last: unknown, status: number, field: string][] = [
      ['lnk_unknown', 404, 'ids[1]'],
      ['lnk_foreign', 404, 'ids[1]'],
      [one.id, 400, 'ids[1]'],
      ['', 400, 'ids'],
      ['x'.repeat(65), 400, 'ids'],
      [7, 400, 'ids'],
      ['lnk_\0', 400, 'ids'],
    ];
    for (const [last, status, field] of revoke) {
      const answer = await call('batchRevoke', { ids: [one.id, last] });
      expect(answer, `${last}`).toMatchObject({ status, body: { errors: [{ field }] } });
    }
    const mask = { update_mask: 'expireTime', expire_time: after(1) };
    const update: [last: object, status: number, field: string][] = [
      [{ link_id: 'lnk_unknown', ...mask }, 404, 'link_id'],
      [{ link_id: 'lnk_foreign', ...mask }, 404, 'link_id'],
      [{ link_id: revoked.id, ...mask }, 409, 'link_id'],
      [{ link_id: one.id, ...mask }, 400, 'link_id'],
      [{ link_id: '', ...mask }, 400, 'link_id'],
      [{ link_id: two.id, expire_time: after(1) }, 400, 'update_mask'],
      [{ link_id: two.id, update_mask: 'slug' }, 400, 'update_mask'],
      [{ link_id: two.id, ...mask, update_mask: '' }, 400, 'update_mask'],
      [{ link_id: two.id, ...mask, expire_time: after(-1) }, 400, 'expire_time'],
      [{ link_id: two.id, ...mask, workspace_id: other.ownerId }, 400, 'workspace_id'],
      [{ link_id: two.id, update_mask: 'password', password: 'short' }, 400, 'password'],
      [
        {
          link_id: two.id,
          update_mask: 'emailVerificationRequired',
          email_verification_required: true,
        },
        400,
        'email_verification_required',
      ],
    ];
    for (const [last, status, field] of update) {
      const requests = [{ link_id: one.id, ...mask }, last];
      const answer = await call('batchUpdate', { requests });
      const error = { field: `requests[1].${field}` };
      expect(answer, JSON.stringify(last)).toMatchObject({ status, body: { errors: [error] } });
    }
    const many = Array.from({ length: 201 }, (_, i) => `lnk_${i}`);
    for (const ids of [[], many, undefined, 'x', [null], [[]]]) {
      expect((await call('batchRevoke', { ids })).status).toBe(400);
      const requests = Array.isArray(ids) ? ids.map((id) => ({ link_id: id, ...mask })) : ids;
      expect((await call('batchUpdate', { requests })).status).toBe(400);
    }
    const inOther = { workspace_id: other.ownerId };
    expect((await call('batchRevoke', { ids: [one.id], ...inOther })).status).toBe(403);
    const reader = await addWorkspace(suite.app.inside.db, 'links:read');
    const readerKey = { authorization: `Bearer ${reader.text}` };
    expect((await call('batchRevoke', { ids: [one.id] }, readerKey)).status).toBe(403);

    expect(await rowsOf([one.id, two.id, revoked.id, 'lnk_foreign'])).toEqual(before);
    expect(await eventsOf('BatchRevokeLinks', [one.id, 'lnk_foreign'])).toEqual([]);
    expect(await eventsOf('BatchUpdateLinks', [one.id, 'lnk_foreign'])).toEqual([]);
  });

  it('get one password, which is hashed once, and new gates', async () => {
    const links = await makeLinks(40);
    const requests = links.map(({ id: link_id }) => ({
      ...{ link_id, update_mask: 'password,allowDownload', password: 'open sesame' },
    }));
    const { status, body } = await call('batchUpdate', { requests });
    expect(status).toBe(200);
    expect(body.links.every(({ password_required }) => password_required)).toBe(true);
    const rows = await rowsOf(links.map(({ id }) => id));
    expect(new Set(rows.map(({ password_hash }) => password_hash)).size).toBe(1);
    expect(new Set(rows.map(({ gate_revision }) => gate_revision))).toEqual(new Set([2]));
  });

  it('are neither created nor changed with a key that is revoked during the hashing', async () => {
    const { db } = suite.app.inside;
    const { id } = await db.selectFrom('workspaces').select('id').executeTakeFirstOrThrow();
    const links = await makeLinks(200);
    const rows = () => rowsOf(links.map((link) => link.id));
    const changes = links.map((link) => ({ link_id: link.id, update_mask: 'password' }));
    const documentId = links[0]?.document_id ?? '';
    const wanted = links.map((_, i) => ({
      ...{ document_id: documentId, recipient: `other${i}@example.com` },
    }));
    for (const [method, requests] of [
      ['batchUpdate', changes],
      ['batchCreate', wanted],
    ] as const) {
      const key = generateCredential('wk', randomBytes);
      const fields = { name: 'Lost', scopes: 'links:write', createTime: Date.now() };
      await changeAsOtherProcess(db, (trx) =>
        insertCredential(trx, { kind: 'wk', id }, key, fields),
      );
      const headers = { authorization: `Bearer ${key.text}` };
      const hashed = requests.map((one, i) => ({ ...one, password: `password ${i}` }));
      const answer = call(method, { requests: hashed }, headers);
      await sleep(200);
      await updateRow(db, 'credentials', key.id, { revoke_time: Date.now() });
      expect((await answer).body.code).toBe('unauthenticated');
    }
    expect((await rows()).filter((row) => row.password_hash !== null)).toEqual([]);
    const ofDocument = db.selectFrom('links').select('id').where('document_id', '=', documentId);
    expect(await ofDocument.execute()).toHaveLength(links.length);
  });
});
