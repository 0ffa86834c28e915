// Programs that list the entries of a room for a person.
import { expect, it } from 'vitest';
import { entryTokenAt } from '../../src/sharing/rooms/page-token.ts';
import { describeApp } from '../support/app-suite.ts';
import { addDocument, makeFolder, makeRoom } from '../support/folder-calls.ts';
import { email, type Headers, useProgram } from '../support/program-readers.ts';
import { entered, roomsIn } from '../support/rooms.ts';
import { findFailures } from '../support/rule.ts';
import { bearer, type LinkFields, makeLink } from '../support/sharing-api.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

type Entry = { readonly id: string; readonly name: string };
type Listing = {
  readonly folder: Entry;
  readonly entries: readonly Entry[];
  readonly next_page_token: string;
};

describeApp('a program in a room', (suite) => {
  const program = useProgram(suite);
  const { credential, delegated, revoke, viewsOf } = program;
  const { test, call, filled } = roomsIn(suite);
  const shared = (options = {}) => filled({ program_access: true, ...options });

  async function list({ url }: Pick<LinkFields, 'url'>, headers: Headers, route = '/entries') {
    const answer = await fetch(url + route, { headers });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: JSON.parse(text) as Listing };
  }

  const namesIn = async (link: LinkFields, headers: Headers, route = '/entries') =>
    (await list(link, headers, route)).body.entries.map(({ name }) => name);

  it('lists each folder, and reads what it lists, in one view for each document', async () => {
    const { root, sub, plan, terms, link } = await shared();
    await call('PATCH', `/links/${link.id}`, {
      entry_rules: [{ document_id: terms.id, allow_download: false }],
    });
    const headers = await credential();
    const top = await list(link, headers);
    expect(top.status).toBe(200);
    expect(top.headers.get('cache-control')).toBe('no-store');
    expect(top.body).toEqual({
      folder: { id: root.id, name: root.name },
      entries: [
        { id: sub.id, name: 'Contracts' },
        {
          ...{ id: plan.id, name: 'Plan.txt', content_type: 'text/plain', size_bytes: 8 },
          allow_download: true,
        },
      ],
      next_page_token: '',
    });
    const inner = await list(link, headers, `/folders/${sub.id}/entries`);
    expect(inner.body).toMatchObject({
      folder: { id: sub.id, name: 'Contracts' },
      entries: [{ id: terms.id, allow_download: false }],
    });
    expect((await list(link, headers, `/folders/${root.id}/entries`)).body).toEqual(top.body);
    expect(await viewsOf(link)).toEqual([]);
    for (const { id } of [plan, terms]) {
      const file = await fetch(`${link.url}/documents/${id}/file`, { headers });
      expect(file.status).toBe(200);
      await file.arrayBuffer();
    }
    expect(await viewsOf(link)).toMatchObject([
      { email, acting_client_name: 'Test client' },
      { email, acting_client_name: 'Test client' },
    ]);
  });

  it('gets the pages of a large folder, and no hidden title', async () => {
    const root = await makeFolder(test(), 'Large for programs');
    const { workspace_id } = await addDocument(test(), root.id, '000.txt');
    const rows = Array.from({ length: 250 }, (_, i) => ({
      ...{ id: `doc_program${i}`, workspace_id, folder_id: root.id, blob_id: `blob_program${i}` },
      ...{ name: `${String(i + 1).padStart(3, '0')}.pdf`, content_type: 'application/pdf' },
      ...{ size_bytes: 1, sha256: '', page_count: 1, create_time: 1 },
    }));
    await suite.app.inside.db.insertInto('documents').values(rows).execute();
    const link = await makeRoom(test(), root.id, { program_access: true, show_title: false });
    const headers = await credential();
    const first = await list(link, headers);
    expect(first.body.folder).toEqual({ id: root.id, name: '' });
    const rest = await list(link, headers, `/entries?page_token=${first.body.next_page_token}`);
    expect(rest.body.next_page_token).toBe('');
    const ids = [...first.body.entries, ...rest.body.entries].map(({ id }) => id);
    expect(new Set(ids).size).toBe(251);
    expect(ids).toHaveLength(251);
  });

  it('finds no entry that the link hides or no longer contains', async () => {
    const { root, sub, outside, plan, link } = await shared();
    const headers = await credential();
    const change = (rules: object[]) => call('PATCH', `/links/${link.id}`, { entry_rules: rules });
    const becomes = (names: string[]) =>
      expectWithinOneSecond(suite.app.inside.db, () => namesIn(link, headers), names);
    await change([{ document_id: plan.id, hidden: true }]);
    await becomes(['Contracts']);
    await change([{ folder_id: sub.id, hidden: true }]);
    await becomes(['Plan.txt']);
    const subRoute = `/folders/${sub.id}/entries`;
    expect((await list(link, headers, subRoute)).status).toBe(404);
    await change([]);
    expect(await namesIn(link, headers, subRoute)).toEqual(['Terms.txt']);
    await call('PATCH', `/folders/${sub.id}`, { parent_id: outside.id });
    await becomes(['Plan.txt']);
    expect((await list(link, headers, subRoute)).status).toBe(404);
    await call('PATCH', `/folders/${sub.id}`, { parent_id: root.id });
    await becomes(['Contracts', 'Plan.txt']);
  });

  it('continues after an entry that is hidden, renamed or moved between two pages', async () => {
    const { root, sub, plan, link } = await shared();
    const headers = await credential();
    await addDocument(test(), root.id, 'Zebra.txt');
    const token = entryTokenAt({ id: plan.id, name: 'Plan.txt' });
    const following = () => namesIn(link, headers, `/entries?page_token=${token}`);
    expect(await following()).toEqual(['Zebra.txt']);
    await call('PATCH', `/documents/${plan.id}`, { name: 'Aardvark.txt' });
    expect(await following()).toEqual(['Zebra.txt']);
    await call('PATCH', `/documents/${plan.id}`, { folder_id: sub.id });
    expect(await following()).toEqual(['Zebra.txt']);
    const rules = { entry_rules: [{ document_id: plan.id, hidden: true }] };
    await call('PATCH', `/links/${link.id}`, rules);
    expect(await following()).toEqual(['Zebra.txt']);
  });

  it('gets a clear error for a wrong page token', async () => {
    const { plan, link } = await shared();
    const headers = await credential();
    const tokenOf = (text: string) => Buffer.from(text).toString('base64url');
    const tokens = ['%00', plan.id, 'x'.repeat(1_500), 'x'.repeat(1_501)];
    const texts = [`1.${plan.id}.`, `1.${plan.id}.a\0b`, `2.${plan.id}.a`, '1.lnk_a.a'];
    texts.push(`1.${plan.id}.${'a'.repeat(256)}`);
    const failures = await findFailures([...tokens, ...texts.map(tokenOf)], async (token) => {
      const { status, body } = await list(link, headers, `/entries?page_token=${token}`);
      expect(status).toBe(400);
      expect(JSON.stringify(body)).toContain('page_token');
    });
    expect(failures).toEqual([]);
  });

  it('is refused as at the files of the room', async () => {
    const { root, outside, plan, link } = await shared();
    const other = await shared();
    const room = (options: object) =>
      makeRoom(test(), root.id, { program_access: true, ...options });
    const headers = await credential();
    const revokedToken = await delegated();
    await revoke(revokedToken);
    const revoked = await room({});
    await call('DELETE', `/links/${revoked.id}`);
    const document = await makeLink(test(), plan.id, { program_access: true });
    const ofPerson = bearer(await program.personToken());
    type Case = [string, Pick<LinkFields, 'url'>, Headers, number, string?];
    const cases: Case[] = [
      ['no token', link, {}, 403],
      ['a revoked token', link, bearer(revokedToken), 401],
      ['the token of the person', link, ofPerson, 403],
      ['no scope', link, await credential({ scope: 'accounts:read' }), 403],
      ['no program_access', await room({ program_access: false }), headers, 403],
      ['a password', await room({ password: 'correct horse' }), headers, 403],
      ['other readers', await room({ allow_list: ['bob@example.com'] }), headers, 403],
      ['a revoked link', revoked, headers, 410],
      ['an unknown link', { url: `${suite.app.publicUrl}/s/${'0'.repeat(22)}` }, headers, 404],
      ['a link to a document', document, headers, 404],
      ['a folder through a link to a document', document, headers, 404, root.id],
      ['a folder outside', link, headers, 404, outside.id],
      ['a folder of another room', link, headers, 404, other.sub.id],
      ['a document', link, headers, 404, plan.id],
      ['an id with NUL', link, headers, 404, 'a%00'],
    ];
    const failures = await findFailures(cases, async (_name, at, sent, status, id) => {
      const route = id === undefined ? '/entries' : `/folders/${id}/entries`;
      const answer = await list(at, sent, route);
      expect(answer.status).toBe(status);
      expect(JSON.stringify(answer.body)).not.toMatch(/Plan|Contracts/);
    });
    expect(failures).toEqual([]);
  });

  it('ends with the expiry of the link; readers with the cookie get the same list', async () => {
    const { sub, link } = await shared({ email_required: true });
    const visitor = await entered(link);
    const { text } = await visitor.get(`/folders/${sub.id}/entries`);
    const headers = await credential();
    const listed = await list(link, headers, `/folders/${sub.id}/entries`);
    expect(JSON.parse(text)).toEqual(listed.body);
    const expire_time = new Date(Date.now() + 30_000).toISOString();
    await call('PATCH', `/links/${link.id}`, { expire_time });
    suite.clock.frozen = Date.now() + 31_000;
    const { status } = await list(link, headers).finally(() => {
      suite.clock.frozen = undefined;
    });
    expect(status).toBe(410);
  });
});
