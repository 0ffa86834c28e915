// The filters of the list of links.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { beforeAll, expect, it } from 'vitest';
import {
  LinkService,
  LinkState,
  type ListLinksRequestSchema,
} from '../../gen/latchkey/sharing/v1/link_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { walkList } from '../support/list-walks.ts';
import { changeAsOtherProcess } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import { callSharingApi, type DocumentFields, keyOf, upload } from '../support/sharing-api.ts';
import { transportNames } from '../support/transports.ts';

type Filter = Omit<MessageInitShape<typeof ListLinksRequestSchema>, '$typeName'>;

const { listLinks } = LinkService.method;

describeApp('a filtered list of links', (suite) => {
  let documents: readonly DocumentFields[];
  beforeAll(async () => {
    const uploads = ['One.txt', 'Two.txt'].map((name) =>
      upload(suite.testApp, Buffer.from(name), name),
    );
    documents = await Promise.all(uploads);
    const create = async (at: number, name: string, more: object = {}) => {
      const body = { document_id: documents[at]?.id, name, ...more };
      const made = await callSharingApi<{ id: string }>(suite.testApp, 'POST', '/links', body);
      expect(made.status, name).toBe(201);
      return `/links/${made.body.id}`;
    };
    const soon = { expire_time: new Date(Date.now() + 3_600_000).toISOString() };
    await create(0, 'open');
    await create(0, 'until soon', soon);
    await create(0, 'for Ann', { recipient: 'ann@example.com' });
    await create(0, 'listed', { allow_list: ['@partner.example', 'Ann@Example.com'] });
    await create(1, 'for Joann', { recipient: 'joann@example.com' });
    await create(1, 'of the domain', {
      ...{ recipient: 'eve@partner.example', allow_list: ['@partner.example'] },
    });
    await callSharingApi(suite.testApp, 'DELETE', await create(0, 'revoked'));
    const late = await create(1, 'expired and revoked', soon);
    await callSharingApi(suite.testApp, 'DELETE', late);
    await create(1, 'expired', { ...soon, recipient: 'ann@example.com' });
    // The times of these two have passed.
    await changeAsOtherProcess(suite.app.inside.db, (trx) =>
      trx
        .updateTable('links')
        .set({ expire_time: Date.now() - 1 })
        .where('name', 'like', 'expired%')
        .execute(),
    );
  });

  const { ACTIVE: active, REVOKED: gone } = LinkState;
  const hours = (count: number) => timestampFromMs(Date.now() + count * 3_600_000);
  const cases: [sentence: string, filter: Filter, at: number | undefined, names: string[]][] = [
    [
      'the active ones',
      { state: active },
      undefined,
      [...['for Ann', 'for Joann', 'listed', 'of the domain', 'open', 'until soon']],
    ],
    ['the expired ones', { state: LinkState.EXPIRED }, undefined, ['expired']],
    [
      'the revoked ones',
      { state: LinkState.REVOKED },
      undefined,
      [...['expired and revoked', 'revoked']],
    ],
    [
      'those for an address',
      { reader: ' ANN@example.com ' },
      undefined,
      [...['expired', 'for Ann', 'listed']],
    ],
    ['those for a domain', { reader: '@Partner.example' }, undefined, ['listed', 'of the domain']],
    ['those for a recipient', { reader: 'eve@partner.example' }, undefined, ['of the domain']],
    ['those for a part of an address', { reader: 'nn@example.com' }, undefined, []],
    [
      'those with all values',
      { state: active, reader: 'ann@example.com' },
      0,
      [...['for Ann', 'listed']],
    ],
    ['those with all values and the text', { state: active, query: 'liste' }, 0, ['listed']],
    ['those of the other document', { state: active }, 1, ['for Joann', 'of the domain']],
    ['those that expire soon', { expireBefore: hours(2) }, undefined, ['until soon']],
    ['those that expire sooner', { expireBefore: hours(0.5) }, undefined, []],
    ['those that expire, revoked', { expireBefore: hours(2), state: gone }, undefined, []],
  ];

  itHoldsFor(cases, 13)('has, in each order and size of pages', async (_, filter, at, names) => {
    const documentId = documents[at ?? 9]?.id ?? '';
    for (const name of transportNames) {
      for (const orderBy of ['', 'name', 'view_count desc']) {
        for (const pageSize of [1, 50]) {
          const request = { ...filter, documentId, orderBy, pageSize };
          const transport = suite.transport(name);
          const walk = await walkList(transport, listLinks, request, keyOf(suite.testApp));
          const found = walk.pages.flatMap(({ links }) => links.map((link) => link.name));
          expect(orderBy === 'name' ? found : found.toSorted()).toEqual(names);
          expect(new Set(walk.totals)).toEqual(new Set([names.length]));
        }
      }
    }
  });

  it('by expiry has only links that expire, the first one first', async () => {
    const listed = async (filter: Filter) => {
      const request = { ...filter, pageSize: 1 };
      const walk = await walkList(
        suite.transport('grpc'),
        listLinks,
        request,
        keyOf(suite.testApp),
      );
      expect(new Set(walk.totals).size).toBe(1);
      return walk.pages.flatMap(({ links }) => links.map((link) => link.name));
    };
    const all = ['expired', 'expired and revoked', 'until soon'];
    expect((await listed({ orderBy: 'expire_time' })).toSorted()).toEqual(all);
    expect((await listed({ orderBy: 'expire_time desc' }))[0]).toBe('until soon');
    const soon = { orderBy: 'expire_time', expireBefore: hours(2) };
    expect(await listed(soon)).toEqual(['until soon']);
    expect(await listed({ ...soon, documentId: documents[0]?.id ?? '' })).toEqual(['until soon']);
    expect(await listed({ ...soon, documentId: documents[1]?.id ?? '' })).toEqual([]);
  });

  const refused: [query: string, field: string][] = [
    ['state=LINK_STATE_GONE', 'state'],
    ['state=9', 'state'],
    ['state=LINK_STATE_ACTIVE&state=LINK_STATE_EXPIRED', 'state'],
    ['reader=ann', 'reader'],
    ['reader=@', 'reader'],
    ['reader=@localhost', 'reader'],
    ['reader=ann@example.com%20eve@example.com', 'reader'],
    ['reader=ann@example.com%00', 'reader'],
    ['expire_before=tomorrow', 'expire_before'],
    [`reader=${'a'.repeat(255)}`, 'reader'],
  ];
  itHoldsFor(refused, 10)('refuses other values and names the field', async (query, field) => {
    const answer = await callSharingApi(suite.testApp, 'GET', `/links?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });

  it('continues only with the same filters', async () => {
    const page = async (query: string) => {
      const path = `/links?page_size=1&${query}`;
      type Page = { next_page_token: string };
      return callSharingApi<Page>(suite.testApp, 'GET', path);
    };
    const { body } = await page('state=LINK_STATE_ACTIVE');
    const token = `page_token=${body.next_page_token}`;
    expect((await page(`state=LINK_STATE_ACTIVE&${token}`)).status).toBe(200);
    for (const other of ['', 'state=LINK_STATE_REVOKED', 'reader=ann@example.com', 'query=o']) {
      const answer = await page(`${other}&${token}`);
      expect(answer, other).toMatchObject({
        ...{ status: 400, body: { errors: [{ field: 'page_token' }] } },
      });
    }
  });
});
