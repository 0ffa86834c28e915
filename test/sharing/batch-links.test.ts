// Links for recipients: one, and many at once.
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { makeFolder } from '../support/folder-calls.ts';
import { fieldAskedBy, lastCode, Visitor } from '../support/gate-visitor.ts';
import { linkBatches } from '../support/link-batches.ts';
import { keyOf } from '../support/sharing-api.ts';

describeApp('links for recipients', (suite) => {
  const { newAddress, newDocument, create, linksOf } = linkBatches(suite);

  it('are created for 200 people in one call, and each opens only for its recipient', async () => {
    const { id } = await newDocument();
    const people = Array.from({ length: 200 }, newAddress);
    const requests = people.map((recipient) => ({ document_id: id, recipient, view_limit: 3 }));
    const { status, body } = await create(requests);
    expect(status).toBe(200);
    expect(body.links.map(({ recipient }) => recipient)).toEqual(people);
    expect(new Set(body.links.map(({ url }) => url)).size).toBe(200);
    for (const [i, link] of body.links.entries()) {
      const recipient = people[i];
      expect(link).toMatchObject({ name: recipient, allow_list: [recipient], view_limit: 3 });
      expect(link).toMatchObject({ email_required: true, email_verification_required: true });
    }
    expect(await linksOf(id)).toHaveLength(200);
    const [link, other] = body.links;
    if (link === undefined || other === undefined) throw new Error('there are no links');
    for (const [reader, result] of [
      [link.recipient, 'document'],
      [other.recipient, 'Email address'],
    ] as const) {
      const visitor = new Visitor(link);
      await visitor.post({ email: reader });
      await visitor.post({ code: await lastCode(suite.testApp, reader) });
      expect(fieldAskedBy(await visitor.get()), reader).toBe(result);
    }
    const { db } = suite.app.inside;
    const events = await db
      .selectFrom('audit_events')
      .select('target')
      .where('action', '=', 'LinkService.BatchCreateLinks')
      .where(
        'target',
        'in',
        body.links.map((one) => one.id),
      )
      .execute();
    expect(events).toHaveLength(200);
  });

  it('are created through every transport', async () => {
    const { id: documentId } = await newDocument();
    for (const name of ['http', 'grpc', 'connect'] as const) {
      const request = { requests: [{ documentId, recipient: `Ann@EXAMPLE.com`, name: 'Ann' }] };
      const method = LinkService.method.batchCreateLinks;
      const answer = await suite.transport(name).call(method, request, keyOf(suite.testApp));
      const link = { recipient: 'ann@example.com', name: 'Ann', allowList: ['ann@example.com'] };
      expect(answer, name).toMatchObject({ ok: true, message: { links: [link] } });
    }
  });

  it('are all refused if one is, with the field of the problem', async () => {
    const { id: document_id } = await newDocument();
    const good = { document_id, recipient: 'good@example.com' };
    const past = new Date(Date.now() - 1000).toISOString();
    const { id: folder_id } = await makeFolder(suite.testApp, 'Refused batches');
    const inRoom = { recipient: 'b@example.com', document_id: '', folder_id };
    const missing = `doc_${'0'.repeat(22)}`;
    const cases: [bad: Record<string, unknown>, status: number, field?: string][] = [
      [{ recipient: 'good@example.com' }, 400, 'requests[1].recipient'],
      [{ recipient: 'GOOD@Example.com' }, 400, 'requests[1].recipient'],
      [{ recipient: '' }, 400, 'requests[1].recipient'],
      [{ recipient: 'not an address' }, 400, 'requests[1].recipient'],
      [{ recipient: 'a@example.com, b@example.com' }, 400, 'requests[1].recipient'],
      [{ recipient: 'a@example.com\r\nBcc: b@example.com' }, 400, 'requests[1].recipient'],
      [{ recipient: `${'a'.repeat(260)}@example.com` }, 400, 'requests[1].recipient'],
      [{ recipient: 'b@example.com', allow_list: ['@other.com'] }, 400, 'requests[1].allow_list'],
      [{ recipient: 'b@example.com', block_list: ['@example.com'] }, 400, 'requests[1].block_list'],
      [{ recipient: 'b@example.com', password: 'short' }, 400, 'requests[1].password'],
      [{ recipient: 'b@example.com', expire_time: past }, 400, 'requests[1].expire_time'],
      [{ recipient: 'b@example.com', view_limit: 0 }, 400, 'requests[1].view_limit'],
      [{ recipient: 'b@example.com', workspace_id: 'ws_x' }, 400, 'requests[1].workspace_id'],
      [{ recipient: 'b@example.com', document_id: '' }, 400, 'requests[1].document_id'],
      [{ recipient: 'b@example.com', notify: 'NOTIFY_DIGEST' }, 400, 'requests[1].notify'],
      [{ recipient: 'b@example.com', name: 'a\0b' }, 400, 'requests[1].name'],
      [{ recipient: 'b@example.com', mail_message: 'Hi' }, 400, 'requests[1].mail_message'],
      ...[' \n', 'a\0b', 'a\u202eb', 'x'.repeat(1_001)].map(
        (mail_message): [Record<string, unknown>, number, string] => [
          { recipient: 'b@example.com', mail_recipient: true, mail_message },
          ...([400, 'requests[1].mail_message'] as const),
        ],
      ),
      [{ recipient: 'b@example.com', pinned_version: 2 }, 400, 'requests[1].pinned_version'],
      [{ recipient: 'b@example.com', document_id: 'doc_x' }, 404, 'requests[1].document_id'],
      [{ ...inRoom, folder_id: 'fld_x' }, 404, 'requests[1].folder_id'],
      [
        { ...inRoom, entry_rules: [{ document_id: missing, hidden: true }] },
        ...([400, 'requests[1].entry_rules[0].document_id'] as const),
      ],
      [{ recipient: 'b@example.com', recipients: [] }, 400],
    ];
    for (const [bad, status, field] of cases) {
      const answer = await create([good, { document_id, ...bad }]);
      expect(answer.status, JSON.stringify(bad)).toBe(status);
      if (field !== undefined) {
        expect(
          answer.body.errors?.map((error) => error.field),
          JSON.stringify(bad),
        ).toEqual([field]);
      }
    }
    const many = Array.from({ length: 201 }, () => ({ document_id, recipient: newAddress() }));
    for (const requests of [[], many, undefined, 'x', [null], [[]]]) {
      expect((await create(requests)).status).toBe(400);
    }
    expect(await linksOf(document_id)).toEqual([]);
  });

  it('are neither created nor changed for a caller who leaves during the hashing', async () => {
    const { id: document_id } = await newDocument();
    const leave = async (action: string, requests: readonly object[]) => {
      const call = request(`${suite.app.publicUrl}/api/v1/links:${action}`, {
        method: 'POST',
        headers: { ...keyOf(suite.testApp), 'content-type': 'application/json' },
      });
      const answer = once(call, 'response');
      const changes = requests.map((fields, i) => ({ ...fields, password: `password ${i}` }));
      call.end(JSON.stringify({ requests: changes }));
      // The service receives a request that was sent, however late it reads it.
      await once(call, 'finish');
      await sleep(200);
      call.destroy();
      await expect(answer).rejects.toThrow();
      const ended = new RegExp(`${action}Links"[^\\n]*"code":"canceled"`, 'i');
      await expect.poll(() => suite.testApp.logText()).toMatch(ended);
    };
    const wanted = Array.from({ length: 200 }, () => ({ document_id, recipient: newAddress() }));

    await leave('batchCreate', wanted);
    expect(await linksOf(document_id)).toEqual([]);

    const { links } = (await create(wanted)).body;
    await leave(
      'batchUpdate',
      links.map(({ id }) => ({ link_id: id, update_mask: 'password' })),
    );
    const protectedLinks = (await linksOf(document_id)).filter((link) => link.password_required);
    expect(protectedLinks).toEqual([]);
  });

  it('are not created beyond the quota, and then none is mailed', async () => {
    const { id: document_id } = await newDocument();
    const recipients = [newAddress(), newAddress()];
    const { db } = suite.app.inside;
    const used = await db.selectFrom('workspace_usage').selectAll().executeTakeFirstOrThrow();
    const setQuota = (links_max: number | null) =>
      db.transaction().execute((trx) => trx.updateTable('workspaces').set({ links_max }).execute());
    await setQuota(Number(used.links) + 1);
    const requests = recipients.map((recipient) => ({
      ...{ document_id, recipient, mail_recipient: true },
    }));
    expect(await create(requests)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    await setQuota(null);
    expect(await linksOf(document_id)).toEqual([]);
    expect(await db.selectFrom('reader_mails').selectAll().execute()).toEqual([]);
  });
});
