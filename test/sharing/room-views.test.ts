// The gate of a room, and who read which document.
import { expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import type { RoomLink } from '../support/folder-calls.ts';
import { lastCode, Visitor } from '../support/gate-visitor.ts';
import { entered, open, report, roomsIn, statusesOf } from '../support/rooms.ts';
import { keyOf } from '../support/sharing-api.ts';

describeApp('the readers of a room', (suite) => {
  const { test, call, filled } = roomsIn(suite);

  it('records who read which document, and counts a reader once', async () => {
    const { plan, terms, link } = await filled({ email_required: true, notify: undefined });
    const ada = await entered(link, 'ada@example.com');
    expect((await ada.get(`/documents/${plan.id}/view`, report)).status).toBe(204);
    expect((await ada.get(`/documents/${terms.id}/view`, report)).status).toBe(204);
    await ada.get(`/documents/${terms.id}/download`);
    const bob = await entered(link, 'bob@example.com');
    await bob.get(`/documents/${terms.id}/file`);
    await suite.app.inside.views.flush();

    const { body } = await call<{
      views: { email: string; document_name: string; version: number }[];
    }>('GET', `/links/${link.id}/views`);
    const read = body.views.map(({ email, document_name, version }) => [
      email,
      document_name,
      version,
    ]);
    expect(read.sort()).toEqual([
      ['ada@example.com', 'Plan.txt', 1],
      ['ada@example.com', 'Terms.txt', 1],
      ['bob@example.com', 'Terms.txt', 1],
    ]);
    expect((await call<RoomLink>('GET', `/links/${link.id}`)).body.view_count).toBe(2);
    const insight = await call<{ visitor_count: number; documents: object[] }>(
      'GET',
      `/links/${link.id}/insight`,
    );
    expect(insight.body.visitor_count).toBe(2);
    expect(insight.body.documents).toMatchObject([
      {
        document_id: terms.id,
        document_name: 'Terms.txt',
        view_count: 2,
        visitor_count: 2,
        download_count: 1,
      },
      {
        document_id: plan.id,
        document_name: 'Plan.txt',
        view_count: 1,
        visitor_count: 1,
        download_count: 0,
      },
    ]);
    const ofDocument = await call<{ view_count: number }>('GET', `/documents/${terms.id}`);
    expect(ofDocument.body.view_count).toBe(2);
    const csv = await fetch(`${test().app.publicUrl}/api/v1/links/${link.id}/views.csv`, {
      headers: keyOf(test()),
    });
    expect(await csv.text()).toContain(`"${terms.id}","Terms.txt"`);

    // The views go with the document, and the quota gets them back.
    const used = () =>
      suite.app.inside.db
        .selectFrom('workspace_usage')
        .select(['views', 'documents'])
        .where('workspace_id', '=', terms.workspace_id)
        .executeTakeFirstOrThrow();
    const before = await used();
    expect((await call('DELETE', `/documents/${terms.id}`)).status).toBe(200);
    expect(await used()).toEqual({ views: before.views - 2, documents: before.documents - 1 });
    const rest = await call<{ views: object[] }>('GET', `/links/${link.id}/views`);
    expect(rest.body.views.length).toBe(1);
  });

  it('admits as many readers as its limit, who then read all of it', async () => {
    const { plan, terms, link } = await filled({ view_limit: 1 });
    const first = await entered(link);
    const second = await entered(link);
    expect((await first.get(`/documents/${plan.id}/file`)).status).toBe(200);
    expect((await first.get(`/documents/${terms.id}/file`)).status).toBe(200);
    expect((await first.get()).status).toBe(200);
    expect((await second.get(`/documents/${plan.id}/file`)).status).toBe(410);
    expect((await second.get()).status).toBe(410);
  });
  it('has a gate at each address, which leads back to it, and an agreement', async () => {
    const { root, terms, link } = await filled({ agreement: 'Keep it secret.' });
    const visitor = new Visitor(link);
    const address = `/documents/${terms.id}`;
    const submit = (fields: Record<string, string>) =>
      visitor.get(address, { method: 'POST', body: new URLSearchParams(fields) });
    await submit({ email: 'signer@rooms.example' });
    await submit({ code: await lastCode(test(), 'signer@rooms.example') });
    expect((await visitor.get(`${address}/file`)).status).toBe(403);
    const digest =
      /name="agreement" value="(\w+)"/.exec((await visitor.get(address)).text)?.[1] ?? '';
    const passed = await submit({ agreement: digest });
    expect([passed.status, passed.headers.get('location')]).toEqual([
      303,
      new URL(link.url).pathname + address,
    ]);
    expect(await statusesOf(visitor, terms)).toEqual(open);

    const { body } = await call<{ views: { agreement_id: string }[] }>(
      'GET',
      `/links/${link.id}/views`,
    );
    const id = body.views[0]?.agreement_id ?? '';
    const receipt = await call<{ receipt: string; folder_id: string }>(
      'GET',
      `/agreements/${id}/receipt`,
    );
    const claims = JSON.parse(
      Buffer.from(receipt.body.receipt.split('.')[1] ?? '', 'base64url').toString(),
    );
    expect(claims).toMatchObject({ folder_id: root.id, folder_name: root.name });
    expect([receipt.body.folder_id, claims.document_id]).toEqual([root.id, undefined]);
  });
});
