// Visitors: one for each address in a workspace, with all views, and their erasure.
import { beforeAll, expect, it } from 'vitest';
import { VisitorService } from '../../gen/latchkey/sharing/v1/visitor_pb.js';
import { encodeBase62Number } from '../../src/base/crypto/ids.ts';
import { describeApp } from '../support/app-suite.ts';
import { openLink, reportView, visit } from '../support/link-views.ts';
import { describeTransports } from '../support/matrix.ts';
import { callMethodWithText } from '../support/method-calls.ts';
import { makePdf } from '../support/pdf.ts';
import {
  callSharingApi,
  keyOf,
  type LinkFields,
  makeLink,
  otherWorkspace,
  serviceCredential,
  upload,
  uploadVersion,
} from '../support/sharing-api.ts';

type VisitorFields = { id: string; email: string; view_count: number };
type ViewFields = { document_name: string; document_id: string; version: number; pages: object[] };

const deleteVisitor = 'VisitorService.DeleteVisitor';

describeApp('a visitor', (suite) => {
  const test = () => suite.testApp;
  const call = <T>(method: string, route: string) => callSharingApi<T>(test(), method, route);
  const list = async (query = '') =>
    (await call<{ visitors: VisitorFields[] }>('GET', `/visitors${query}`)).body.visitors;
  let link: LinkFields;
  let other: LinkFields;

  beforeAll(async () => {
    suite.clock.frozen = 1_795_000_000_000;
    const open = async (of: LinkFields, email: string) => {
      const cookie = await openLink(of, email);
      suite.clock.frozen = suite.clock.now() + 60_000;
      return cookie;
    };
    const document = await upload(test(), makePdf({ pages: 1, text: 'One' }), 'one.pdf');
    const second = await upload(test(), makePdf({ pages: 1, text: 'Two' }), 'two.pdf');
    link = await makeLink(test(), document.id, { email_required: true, name: 'For Ada' });
    other = await makeLink(test(), second.id, { email_required: true });
    const cookie = await open(link, 'Ada@example.com');
    await open(link, '=cmd@example.com');
    await open(other, 'ada@EXAMPLE.com');
    await uploadVersion(test(), document.id, makePdf({ pages: 2, text: 'Three' }), 'three.pdf');
    await reportView(link, cookie, { visit, pages: '2:2000', version: '2' });
    suite.clock.frozen = suite.clock.now() + 60_000;
    await open(other, 'bob@example.com');
    await suite.app.inside.views.flush();
  });

  it('is listed once, the latest visit first', async () => {
    const summary = (visitors: VisitorFields[]) => visitors.map((v) => [v.email, v.view_count]);

    expect(summary(await list())).toEqual([
      ['bob@example.com', 1],
      ['ada@example.com', 3],
      ['=cmd@example.com', 1],
    ]);
    expect(summary(await list('?query=ADA@'))).toEqual([['ada@example.com', 3]]);
    const ordered = await list('?order_by=view_count%20desc&page_size=1');
    expect(summary(ordered)).toEqual([['ada@example.com', 3]]);
  });

  it('has every link, document, version and page that the person read', async () => {
    const visitor = await call<VisitorFields>('GET', '/visitors/ADA@example.com');
    expect(visitor.body).toMatchObject({ email: 'ada@example.com', view_count: 3 });

    const { views } = (
      await call<{ views: ViewFields[] }>('GET', '/visitors/ada@example.com/views')
    ).body;

    expect(views).toMatchObject([
      { document_name: 'one.pdf', link_name: 'For Ada', version: 2, pages: [{ page: 2 }] },
      { document_name: 'two.pdf', version: 1 },
      { document_name: 'one.pdf', version: 1 },
    ]);
    const first = await call<{ views: unknown[]; next_page_token: string }>(
      'GET',
      '/visitors/ada@example.com/views?page_size=2',
    );
    const rest = `/visitors/ada@example.com/views?page_token=${first.body.next_page_token}`;
    expect((await call<{ views: unknown[] }>('GET', rest)).body.views).toHaveLength(1);
    expect((await call('GET', '/visitors/eve@example.com')).status).toBe(404);
  });

  it('is a row of the CSV, which no spreadsheet takes for a formula', async () => {
    const response = await fetch(`${test().app.publicUrl}/api/v1/visitors.csv`, {
      headers: keyOf(test()),
    });

    const lines = (await response.text()).trim().split('\r\n');
    expect(lines[0]).toBe('"email","view_count","create_time","last_view_time"');
    expect(lines.map((line) => line.split(',')[0]).slice(1)).toEqual([
      '"bob@example.com"',
      '"ada@example.com"',
      `"'=cmd@example.com"`,
    ]);
  });

  it('is in the CSV once, in the order of the list, if there are thousands', async () => {
    const id = await otherWorkspace(test(), 'ws_thousands');
    const rows = Array.from({ length: 2_500 }, (_, i) => ({
      ...{ id: `vis_${i}`, workspace_id: id, email: `reader${i}@example.com`, view_count: 1 },
      ...{ create_time: 1, last_view_time: 1 + Math.floor(i / 7) },
    }));
    const { db } = suite.app.inside;
    for (let at = 0; at < rows.length; at += 500) {
      await db
        .insertInto('visitors')
        .values(rows.slice(at, at + 500))
        .execute();
    }
    const headers = await serviceCredential(test(), 'links:read');
    const response = await fetch(`${test().app.publicUrl}/api/v1/visitors.csv?workspace_id=${id}`, {
      headers,
    });

    const lines = (await response.text()).trim().split('\r\n').slice(1);
    expect(new Set(lines).size).toBe(2_500);
    expect(lines).toHaveLength(2_500);
    const times = lines.map((line) => line.split(',')[3] ?? '');
    expect(times).toEqual(times.toSorted().toReversed());
  });

  describeTransports(suite, (transport) => {
    it('belongs to its workspace only', async () => {
      const workspaceId = await otherWorkspace(test(), `ws_${transport}`);
      const credential = await serviceCredential(test(), 'links:read links:write');
      const { getVisitor, listVisitors, listVisitorViews, deleteVisitor } = VisitorService.method;
      const rest = { email: 'ada@example.com', workspaceId };

      for (const method of [getVisitor, listVisitorViews, deleteVisitor]) {
        const answer = await callMethodWithText(suite.app, transport, {
          ...{ method, rest, fields: { email: rest.email } },
          ...credential,
        });
        expect(answer.code).toBe('not_found');
      }
      const all = { method: listVisitors, rest: { workspaceId }, ...credential };
      const listed = await callMethodWithText(suite.app, transport, all);
      expect(listed.code).toBe('ok');
      expect(listed.text).not.toContain('example.com');
    });
  });

  it('is erased with the address, and the views stay', async () => {
    const { db } = suite.app.inside;
    const { body: before } = await call<VisitorFields>('GET', '/visitors/ada@example.com');
    const views = () => db.selectFrom('views').select(['id', 'email']).orderBy('id').execute();
    const [count, links] = [(await views()).length, await call('GET', `/links/${link.id}`)];

    expect((await call('DELETE', '/visitors/Ada@example.com')).status).toBe(200);

    expect((await call('DELETE', '/visitors/ada@example.com')).status).toBe(404);
    const left = await views();
    expect(left).toHaveLength(count);
    expect(left.filter(({ email }) => /ada/i.test(email))).toEqual([]);
    expect((await call('GET', `/links/${link.id}`)).body).toEqual(links.body);
    const events = await db
      .selectFrom('audit_events')
      .select(['target', 'action'])
      .where('action', '=', deleteVisitor)
      .where('code', '=', 'ok')
      .execute();
    expect(events).toEqual([{ target: before.id, action: deleteVisitor }]);
    expect((await list()).map(({ email }) => email)).toEqual([
      'bob@example.com',
      '=cmd@example.com',
    ]);
  });

  it('is erased from links, and one that no one else could open is revoked', async () => {
    const [email, other] = ['eve@example.com', 'bob@example.com'];
    const { id } = await upload(test(), Buffer.from('Four'), 'four.txt');
    const make = (options: object) => makeLink(test(), id, { email_required: true, ...options });
    const read = await make({ name: `For EVE@example.com, not st${email}` });
    const own = await make({ recipient: email });
    const shared = await make({ recipient: email, allow_list: [other, email], name: 'Both' });
    const blocked = await make({ block_list: [email] });
    const workspace_id = await otherWorkspace(test(), 'ws_erased');
    const foreign = async (route: string, fields: object) => {
      const credential = await serviceCredential(test(), 'documents:write links:write');
      const body = { workspace_id, ...fields };
      return (await callSharingApi<{ id: string }>(test(), 'POST', route, body, credential)).body;
    };
    const folder = await foreign('/folders', { name: 'Theirs' });
    const theirs = await foreign('/links', { folder_id: folder.id, recipient: email });
    const { db } = suite.app.inside;
    const waiting = { due_time: 2_000_000_000_000, attempts: 1, message: '' };
    const mails = [own, shared, theirs].map((link) => ({ target_id: link.id, ...waiting }));
    await db.insertInto('reader_mails').values(mails).execute();
    await openLink(read, email);
    await suite.app.inside.views.flush();
    const { body: visitor } = await call<VisitorFields>('GET', `/visitors/${email}`);

    expect((await call('DELETE', `/visitors/${email}`)).status).toBe(200);

    const pseudonym = `${visitor.id.toLowerCase()}@deleted.invalid`;
    const linkOf = async ({ id: linkId }: LinkFields) =>
      (await call<LinkFields>('GET', `/links/${linkId}`)).body;
    expect(await linkOf(read)).toMatchObject({ name: `For ${pseudonym}, not st${email}` });
    expect(await linkOf(own)).toMatchObject({
      ...{ name: pseudonym, recipient: pseudonym, allow_list: [pseudonym] },
      revoke_time: expect.any(String),
    });
    const both = await linkOf(shared);
    expect(both).toMatchObject({ recipient: pseudonym, allow_list: [other, pseudonym] });
    expect([both.revoke_time, (await linkOf(read)).revoke_time]).toEqual([undefined, undefined]);
    expect(await linkOf(blocked)).toMatchObject({ block_list: [email] });
    const kept = db.selectFrom('links').select('recipient').where('id', '=', theirs.id);
    expect(await kept.execute()).toEqual([{ recipient: email }]);
    const left = await db.selectFrom('reader_mails').select('target_id').execute();
    expect(left).toEqual([{ target_id: theirs.id }]);
    const revoked = await db
      .selectFrom('audit_events')
      .select(['target', 'actor_type'])
      .where('action', '=', 'LinkService.RevokeLink')
      .execute();
    expect(revoked).toEqual([{ target: own.id, actor_type: 'system' }]);
  });

  it('is erased from many links in several transactions', async () => {
    const email = 'many@example.com';
    const { id } = await upload(test(), Buffer.from('Five'), 'five.txt');
    const read = await makeLink(test(), id, { email_required: true, name: email });
    await openLink(read, email);
    await suite.app.inside.views.flush();
    const { db } = suite.app.inside;
    const row = await db
      .selectFrom('links')
      .selectAll()
      .where('id', '=', read.id)
      .executeTakeFirst();
    if (row === undefined) throw new Error('the link is missing');
    const text = (n: number) => encodeBase62Number(n, 22);
    const copies = Array.from({ length: 400 }, (_, n) => ({
      ...{ ...row, id: `lnk_${text(n)}`, slug: text(n), view_count: 0 },
    }));
    for (let n = 0; n < copies.length; n += 20) {
      await db
        .insertInto('links')
        .values(copies.slice(n, n + 20))
        .execute();
    }
    const events = () =>
      db.selectFrom('audit_events').select('id').where('action', '=', deleteVisitor).execute();
    const before = (await events()).length;

    expect((await call('DELETE', `/visitors/${email}`)).status).toBe(200);

    const left = db.selectFrom('links').select('id').where('name', '=', email);
    expect(await left.execute()).toEqual([]);
    expect((await call('GET', `/visitors/${email}`)).status).toBe(404);
    // 401 links, of which a transaction changes 200.
    expect((await events()).length - before).toBe(3);
  });

  it('ends with the last view', async () => {
    expect((await call('DELETE', `/documents/${other.document_id}`)).status).toBe(200);

    expect((await list()).map(({ email }) => email)).toEqual(['=cmd@example.com']);
  });
});
