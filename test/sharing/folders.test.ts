// Folders of a workspace, the documents in them, and refused calls.
import { expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import {
  addDocument,
  type FolderFields,
  makeFolder,
  makeRoom,
  uploadInto,
} from '../support/folder-calls.ts';
import { findFailures } from '../support/rule.ts';
import {
  callSharingApi,
  type DocumentFields,
  otherWorkspace,
  storedState,
} from '../support/sharing-api.ts';

type Problem = { detail: string; code: string; errors?: { field: string; detail: string }[] };

describeApp('folders', (suite) => {
  const test = () => suite.testApp;
  const call = <T = Problem>(method: string, route: string, body?: unknown) =>
    callSharingApi<T>(test(), method, route, body);

  const namesIn = async (parent: string) => {
    const folders = await call<{ folders: FolderFields[] }>(
      'GET',
      `/folders?parent_id=${parent}&order_by=name`,
    );
    const documents = await call<{ documents: DocumentFields[] }>(
      'GET',
      `/documents?folder_id=${parent}&order_by=name`,
    );
    return [...folders.body.folders, ...documents.body.documents].map(({ name }) => name);
  };

  it('contain documents and folders, which can be renamed and moved', async () => {
    const deals = await makeFolder(test(), 'Deals');
    const year = await makeFolder(test(), '2026', deals.id);
    const terms = await addDocument(test(), year.id, 'Terms.txt');
    await addDocument(test(), deals.id, 'Overview.txt');
    expect([year.parent_id, terms.folder_id]).toEqual([deals.id, year.id]);
    expect(await namesIn(deals.id)).toEqual(['2026', 'Overview.txt']);

    const archive = await makeFolder(test(), 'Archive');
    const moved = await call<FolderFields>('PATCH', `/folders/${year.id}`, {
      parent_id: archive.id,
      name: '2026 closed',
    });
    expect(moved.status).toBe(200);
    expect(moved.body.ancestors).toEqual([{ id: archive.id, name: 'Archive' }]);
    expect(await namesIn(archive.id)).toEqual(['2026 closed']);
    const got = await call<FolderFields>('GET', `/folders/${year.id}`);
    expect(got.body).toEqual(moved.body);

    await call('PATCH', `/documents/${terms.id}`, { folder_id: deals.id });
    expect(await namesIn(deals.id)).toEqual(['Overview.txt', 'Terms.txt']);
    const top = await call<DocumentFields & { folder_id: string }>(
      'PATCH',
      `/documents/${terms.id}`,
      { folder_id: '' },
    );
    expect(top.body.folder_id).toBe('');
    expect(await namesIn(deals.id)).toEqual(['Overview.txt']);
    expect(await namesIn('')).toContain('Terms.txt');
  });

  it('that are refused leave nothing behind', async () => {
    const parent = await makeFolder(test(), 'Refusals');
    const child = await makeFolder(test(), 'Child', parent.id);
    const document = await addDocument(test(), child.id, 'In.txt');
    const workspaceId = await otherWorkspace(test());
    const { db } = suite.app.inside;
    const foreign = `fld_${'f'.repeat(22)}`;
    await db
      .insertInto('folders')
      .values({
        ...{ id: foreign, workspace_id: workspaceId, parent_id: null },
        ...{ name: 'Foreign', name_key: 'foreign', create_time: 1 },
      })
      .execute();
    let deepest = '';
    for (let depth = 1; depth <= 8; depth++) {
      deepest = (await makeFolder(test(), `Level ${depth}`, deepest)).id;
    }
    const full = await makeFolder(test(), 'Full');
    const rows = Array.from({ length: 10_000 }, (_, i) => ({
      ...{ id: `doc_full${i}`, workspace_id: document.workspace_id, folder_id: full.id },
      ...{ name: `${i}`, content_type: 'text/plain', size_bytes: 0, sha256: '', page_count: 0 },
      ...{ blob_id: `blob_full${i}`, create_time: 1 },
    }));
    for (let i = 0; i < rows.length; i += 1_000) {
      await db
        .insertInto('documents')
        .values(rows.slice(i, i + 1_000))
        .execute();
    }
    const before = [
      await storedState(test()),
      await db.selectFrom('folders').selectAll().execute(),
    ];

    const rule = (...entry_rules: object[]) => ({ folder_id: parent.id, entry_rules });
    type Refusal = [name: string, body: object | undefined, status: number, told: string];
    const refusals: Record<string, Refusal[]> = {
      'POST /folders': [
        ['no name', { name: '' }, 400, 'name'],
        ['a blank name', { name: '  ' }, 400, 'name'],
        ['an invisible name', { name: '\u200b\u3164\u2800' }, 400, 'name'],
        ['a control character', { name: 'a\nb' }, 400, 'name'],
        ['a direction override', { name: 'a\u202eb' }, 400, 'name'],
        ['a long name', { name: 'x'.repeat(256) }, 400, 'name'],
        ['a duplicate', { name: 'Child', parent_id: parent.id }, 409, 'of this name'],
        ['one in capitals', { name: 'CHILD ', parent_id: parent.id }, 409, 'of this name'],
        ['an unknown parent', { name: 'x', parent_id: 'fld_0' }, 404, 'folder'],
        ['a document as parent', { name: 'x', parent_id: document.id }, 404, 'folder'],
        ['a ninth level', { name: 'x', parent_id: deepest }, 409, 'nested'],
        ['an entry of a full folder', { name: 'x', parent_id: full.id }, 409, '10000 entries'],
        ['a foreign parent', { name: 'x', parent_id: foreign }, 404, 'folder'],
      ],
      [`PATCH /folders/${parent.id}`]: [
        ['a move into itself', { parent_id: parent.id }, 400, 'parent_id'],
        ['a cycle', { parent_id: child.id }, 400, 'parent_id'],
        ['a move that is too deep', { parent_id: deepest }, 409, 'nested'],
      ],
      [`PATCH /folders/${child.id}`]: [
        ['a move into a full folder', { parent_id: full.id }, 409, 'entries'],
        ['a rename to a blank', { name: ' ' }, 400, 'name'],
        ['a move to a foreign folder', { parent_id: foreign }, 404, 'folder'],
      ],
      [`PATCH /folders/${foreign}`]: [['of another workspace', { name: 'x' }, 404, 'folder']],
      [`GET /folders/${foreign}`]: [['of another workspace', undefined, 404, 'folder']],
      [`DELETE /folders/${foreign}`]: [['of another workspace', undefined, 404, 'folder']],
      [`DELETE /folders/${child.id}`]: [['with a document', undefined, 409, 'not empty']],
      [`DELETE /folders/${parent.id}`]: [['with a folder', undefined, 409, 'not empty']],
      [`PATCH /documents/${document.id}`]: [
        ['a move into a full folder', { folder_id: full.id }, 409, 'entries'],
        ['a move to a foreign folder', { folder_id: foreign }, 404, 'folder'],
      ],
      'POST /links': [
        ['to a foreign folder', { folder_id: foreign }, 404, 'folder'],
        ['to nothing', {}, 400, 'document_id'],
        ['to both', { folder_id: child.id, document_id: document.id }, 400, 'folder_id'],
        ['to a version', { folder_id: child.id, pinned_version: 1 }, 400, 'pinned_version'],
        [
          'with rules for a document',
          {
            ...rule({ document_id: document.id, hidden: true }),
            folder_id: '',
            document_id: document.id,
          },
          ...([400, 'entry_rules'] as const),
        ],
        ['with a rule without an entry', rule({ hidden: true }), 400, 'entry_rules[0]'],
        ['with a rule for nothing', rule({ folder_id: child.id }), 400, 'entry_rules[0]'],
        ...Object.entries({ itself: parent.id, 'a foreign folder': foreign }).map(
          ([of, folder_id]): Refusal => [
            `with a rule for ${of}`,
            ...([rule({ folder_id, hidden: true }), 400, 'entry_rules[0].folder_id'] as const),
          ],
        ),
        [
          'with two rules for an entry',
          rule(
            { folder_id: child.id, hidden: true },
            { folder_id: child.id, allow_download: true },
          ),
          ...([400, 'entry_rules[1].folder_id'] as const),
        ],
      ],
    };
    const cases = Object.entries(refusals).flatMap(([request, some]) =>
      some.map((refusal): [string, ...Refusal] => [request, ...refusal]),
    );
    const failures = await findFailures(cases, async (request, _name, sent, status, told) => {
      const [method = '', route = ''] = request.split(' ');
      const { body, status: got } = await call(method, route, sent);
      expect([got, JSON.stringify(body)]).toEqual([status, expect.stringContaining(told)]);
    });
    expect(failures).toEqual([]);
    expect(cases).toHaveLength(36);
    for (const [folderId, code] of [
      [full.id, 'conflict'],
      [foreign, 'not_found'],
    ] as const) {
      const uploaded = await uploadInto(test(), folderId, { name: 'x', bytes: Buffer.from('x') });
      expect(uploaded).toMatchObject({ body: { code } });
    }

    const after = [await storedState(test()), await db.selectFrom('folders').selectAll().execute()];
    expect(after).toEqual(before);
  });

  it('are deleted when they are empty, and their links are revoked', async () => {
    const folder = await makeFolder(test(), 'Short-lived');
    const link = await makeRoom(test(), folder.id);
    expect((await fetch(link.url)).status).toBe(200);

    expect((await call('DELETE', `/folders/${folder.id}`)).status).toBe(200);
    expect((await call('GET', `/folders/${folder.id}`)).status).toBe(404);
    expect((await fetch(link.url)).status).toBe(404);
    const listed = await call<{ revoke_time: string; folder_name: string }>(
      'GET',
      `/links/${link.id}`,
    );
    expect(listed.body).toMatchObject({
      revoke_time: expect.any(String),
      folder_name: 'Short-lived',
    });
    // The name is free again.
    await makeFolder(test(), 'Short-lived');
  });
});
