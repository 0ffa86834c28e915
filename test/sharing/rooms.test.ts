// The pages of a room: what readers find, and how fast.
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import { addDocument, makeFolder, makeRoom } from '../support/folder-calls.ts';
import { mailsOf } from '../support/gate-visitor.ts';
import { entered, open, roomsIn, statusesOf } from '../support/rooms.ts';

describeApp('the pages of a room', (suite) => {
  const { test, call, filled } = roomsIn(suite);

  it('shows folders and documents, with the way to each of them', async () => {
    const { root, sub, plan, terms, link } = await filled();
    const visitor = await entered(link);
    const base = new URL(link.url).pathname;

    const { text: page } = await visitor.get();
    expect(page).toContain(`<h1 id="name"><span>${root.name}</span></h1>`);
    expect(page).toContain(`href="${base}/folders/${sub.id}"><span>Contracts</span>`);
    expect(page).toContain(`href="${base}/documents/${plan.id}"><span>Plan.txt</span>`);
    expect(page).not.toContain(terms.id);

    const { text: inner } = await visitor.get(`/folders/${sub.id}`);
    expect(inner).toContain(`<li><a href="${base}">${root.name}</a></li>`);
    expect(inner).toContain(`href="${base}/documents/${terms.id}/download"`);

    const { text: shown } = await visitor.get(`/documents/${terms.id}`);
    expect(shown).toContain(`data-file="${base}/documents/${terms.id}/versions/1/file"`);
    expect(shown).toContain(`<li><a href="${base}/folders/${sub.id}">Contracts</a></li>`);
    expect(await statusesOf(visitor, terms)).toEqual(open);
    expect((await visitor.get(`/documents/${terms.id}/file`)).text).toBe('Terms.txt');
  });

  it('leads to the previous and the next document by name', async () => {
    const root = await makeFolder(test(), 'Ordered');
    const [b, a, c] = await Promise.all(
      ['b.txt', 'A.txt', 'c.txt'].map((name) => addDocument(test(), root.id, name)),
    );
    const visitor = await entered(await makeRoom(test(), root.id));
    const { text } = await visitor.get(`/documents/${b?.id}`);
    const step = (rel: string) => new RegExp(`rel="${rel}" href="[^"]*/(\\w+)"`).exec(text)?.[1];
    expect([step('prev'), step('next')]).toEqual([a?.id, c?.id]);
  });

  it('is searched by name, without what the link hides', async () => {
    const { sub, terms, link } = await filled();
    const drafts = await makeFolder(test(), 'Drafts of terms', sub.id);
    await addDocument(test(), drafts.id, 'Old TERMS.txt');
    const visitor = await entered(link);
    const found = async (query: string) => {
      const { text } = await visitor.get(`?query=${encodeURIComponent(query)}`);
      return [...text.matchAll(/<a class="(?:folder|file)[^>]*><span>([^<]*)/g)].map(
        ([, name]) => name,
      );
    };
    expect(await found('terms')).toEqual(['Drafts of terms', 'Terms.txt', 'Old TERMS.txt']);
    expect(await found('<b>')).toEqual([]);
    await call('PATCH', `/links/${link.id}`, {
      entry_rules: [{ folder_id: drafts.id, hidden: true }],
    });
    expect(await found('terms')).toEqual([terms.name]);
  });

  it('keeps the rule of a deleted entry, so that other rules can change', async () => {
    const { plan, terms, link } = await filled();
    const hidden = [{ document_id: plan.id, hidden: true }];
    const change = (rules: object[]) =>
      call('PATCH', `/links/${link.id}`, { entry_rules: rules }).then(({ status }) => status);
    expect(await change(hidden)).toBe(200);
    await call('DELETE', `/documents/${plan.id}`);
    expect(await change([...hidden, { document_id: terms.id, hidden: true }])).toBe(200);
    expect(await change([])).toBe(200);
    expect(await change(hidden)).toBe(400);
  });

  it('hides its name, and is mailed to a recipient', async () => {
    const { root, plan, link } = await filled({ show_title: false });
    const visitor = await entered(link);
    for (const route of ['', `/documents/${plan.id}`]) {
      const { text } = await visitor.get(route);
      expect(text).not.toContain(root.name);
      expect(text).toContain('Shared folder');
    }
    const requests = [
      { folder_id: root.id, recipient: 'guest@rooms.example', mail_recipient: true },
    ];
    const batch = await call('POST', '/links:batchCreate', { requests });
    expect(batch.status, JSON.stringify(batch.body)).toBe(200);
    const mail = async () => (await mailsOf(test())).find(({ to }) => to === 'guest@rooms.example');
    await expect
      .poll(mail, { timeout: 10_000 })
      .toMatchObject({ subject: `${root.name} was shared with you` });
  });

  it('with 10,000 entries is listed page by page', async () => {
    const root = await makeFolder(test(), 'Large');
    const { workspace_id } = await addDocument(test(), root.id, '00000.txt');
    const { db } = suite.app.inside;
    const rows = Array.from({ length: 9_999 }, (_, i) => ({
      ...{ id: `doc_large${i}`, workspace_id, folder_id: root.id, blob_id: `blob_large${i}` },
      ...{
        name: `${String(i + 1).padStart(5, '0')} Annual report.pdf`,
        content_type: 'application/pdf',
      },
      ...{ size_bytes: 1, sha256: '', page_count: 1, create_time: 1 },
    }));
    for (let i = 0; i < rows.length; i += 1_000) {
      await db
        .insertInto('documents')
        .values(rows.slice(i, i + 1_000))
        .execute();
    }
    const visitor = await entered(await makeRoom(test(), root.id));
    const seen = new Set<string>();
    for (let next: string | undefined = ''; next !== undefined; ) {
      const { text } = await visitor.get(next);
      for (const [, id = ''] of text.matchAll(
        /<li><a class="file" href="[^"]*\/(doc_\w+)"><span>/g,
      )) {
        expect(seen.has(id)).toBe(false);
        seen.add(id);
      }
      next = /rel="next"\s+href="[^"?]*(\?page_token=[\w-]+)"/.exec(text)?.[1];
    }
    expect(seen.size).toBe(10_000);
    const middle = await visitor.get('/documents/doc_large5000');
    expect(middle.text).toContain('doc_large4999');
    const found = await visitor.get('?query=09999');
    expect(found.text).toContain('doc_large9998');
  });

  it('with many folders is searched while other calls run', async () => {
    const root = await makeFolder(test(), 'Wide');
    const workspace_id = test().env.WORKSPACE_ID;
    const rows = Array.from({ length: 1_000 }, (_, i) => {
      const name = `folder ${i}`;
      const id = `fld_wide${i}`;
      return { id, workspace_id, parent_id: root.id, name, name_key: name, create_time: 1 };
    });
    for (let i = 0; i < rows.length; i += 500) {
      await suite.app.inside.db
        .insertInto('folders')
        .values(rows.slice(i, i + 500))
        .execute();
    }
    const visitor = await entered(await makeRoom(test(), root.id));
    let isRunning = true;
    const searching = visitor.get('?query=nothing').finally(() => {
      isRunning = false;
    });
    let turns = 0;
    for (; isRunning; turns++) await setImmediate();
    expect((await searching).text).toContain('No name contains');
    // A search that keeps the event loop leaves it about ten.
    expect(turns).toBeGreaterThan(100);
  });
});
