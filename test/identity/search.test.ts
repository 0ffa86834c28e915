// The search: which resources each caller finds, and by which texts.
import { randomBytes } from 'node:crypto';
import { beforeAll, expect, it, test } from 'vitest';
import { ResourceKind, SearchService } from '../../gen/latchkey/identity/v1/search_pb.js';
import { managementScopes } from '../../src/api/access/scopes.ts';
import { generateCredential } from '../../src/base/crypto/credential-format.ts';
import type { newId } from '../../src/base/crypto/ids.ts';
import { insertCredential } from '../../src/credentials/store.ts';
import { identitySearchKinds } from '../../src/identity/search-kinds.ts';
import { sharingSearchKinds } from '../../src/sharing/search-kinds.ts';
import { describeApp } from '../support/app-suite.ts';
import { messageOf } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { addMember, credentialFor, memberScope } from '../support/member-rows.ts';
import { changeAsOtherProcess } from '../support/owner-rows.ts';
import { itHoldsFor, product } from '../support/rule.ts';
import {
  addSearchedRows,
  keyThumbprintOf,
  kindsOfWorkspaces,
  type SearchedName,
  type SearchedRow,
  type SearchedRows,
  searchedKinds,
} from '../support/searched-rows.ts';
import { bearer } from '../support/sharing-api.ts';

// `Object.keys` returns strings.
const kinds = Object.keys(searchedKinds) as SearchedName[];

const everyScope = [...managementScopes, 'documents:read', 'links:read', 'accounts:read'];
const scopeText = (without?: string) => everyScope.filter((scope) => scope !== without).join(' ');

/** The part of an id that remains if someone reads it aloud, in small letters. */
const fragmentOf = ({ id }: SearchedRow) =>
  id
    .replace(/^[a-z]+_/, '')
    .slice(0, 8)
    .toLowerCase();

/** The texts by which every resource is found. */
const texts: Record<string, (row: SearchedRow) => string> = {
  'its name': ({ id, name }) => name || id,
  'the start of its name, in capitals': ({ id, name }) => (name || id).slice(0, -1).toUpperCase(),
  'a word of its name': ({ id, name }) =>
    (name || id).split(/[ _-]/).slice(1).join('-').slice(0, 5),
  'its id': ({ id }) => id,
  'the start of its id': ({ id }) => id.slice(0, -1),
  'a fragment of its id': fragmentOf,
  'the end of its id': ({ id }) => id.slice(-6),
};

/** The kinds that a caller finds in its workspace. */
const kindsOf = {
  member: kindsOfWorkspaces,
  workspace_key: ['DOCUMENT', 'FOLDER', 'LINK', 'VISITOR'],
} as const satisfies Record<string, readonly SearchedName[]>;

type IdPrefix = Parameters<typeof newId>[0];

/** The ids that no search finds, each with the reason. */
const unfound = {
  agr: 'no method lists agreements: the views that accepted one name it',
  dsi: 'no method lists the sign-ins of devices, which last minutes',
  pwr: 'no method lists the mailed links for a new password',
  evt: 'the audit log filters events by their actor, target and token',
} as const satisfies Partial<Record<IdPrefix, string>>;

/** All other prefixes: the compiler refuses a list that lacks one. */
const found: Record<Exclude<IdPrefix, keyof typeof unfound>, true> = {
  ...{ aud: true, cli: true, cus: true, doc: true, dom: true, fed: true, fld: true, idp: true },
  ...{ inv: true, iss: true, jwk: true, key: true, lnk: true, pky: true, sec: true, ses: true },
  ...{ uid: true, usr: true, viw: true, ws: true },
};

test('a search finds the ids with each prefix, except those with a reason', () => {
  const prefixes = [...identitySearchKinds, ...sharingSearchKinds].map(({ idPrefix }) => idPrefix);
  // Accounts and signing keys have ids without a prefix.
  const named = new Set(prefixes.filter((prefix) => prefix !== ''));
  expect([...named].sort()).toEqual(Object.keys(found).sort());
});

describeApp('the search', (suite) => {
  let own: SearchedRows;
  let other: SearchedRows;
  beforeAll(async () => {
    const { db } = suite.app.inside;
    own = await addSearchedRows(db, 'Zebra');
    other = await addSearchedRows(db, 'Quagga');
  });

  const known = new Map<string, Promise<{ authorization: string }>>();
  function credential(name: string, make: () => Promise<{ authorization: string }>) {
    const made = known.get(name) ?? make();
    known.set(name, made);
    return made;
  }
  const staff = (scope = scopeText()) =>
    credential(scope, () => credentialFor(suite.testApp, { type: 'staff', scope }));
  const memberOf = (workspaceId: string) =>
    credential(`member ${workspaceId}`, async () => {
      const sub = await addMember(suite.app.inside.db, workspaceId, 'admin');
      return credentialFor(suite.testApp, { type: 'member', sub, scope: memberScope });
    });
  const keyOfWorkspace = (workspaceId: string) =>
    credential(`key ${workspaceId}`, async () => {
      const key = generateCredential('wk', randomBytes);
      const fields = { name: 'Caller', scopes: memberScope, createTime: Date.now() };
      await changeAsOtherProcess(suite.app.inside.db, (trx) =>
        insertCredential(trx, { kind: 'wk', id: workspaceId }, key, fields),
      );
      return bearer(key.text);
    });
  const limited = { member: memberOf, workspace_key: keyOfWorkspace };

  describeOneTransport(suite, (transport) => {
    async function search(query: string, credential: object, fields: object = {}) {
      const request = { query, pageSize: 50, ...fields };
      return messageOf(
        await suite
          .transport(transport)
          .call(SearchService.method.search, request, credential as { authorization: string }),
      ).results;
    }
    const idsOf = async (...given: Parameters<typeof search>) =>
      (await search(...given)).map(({ id }) => id);

    itHoldsFor(product(kinds, Object.keys(texts)), 23 * 7)(
      'finds a resource of each kind by',
      async (kind, by) => {
        const row = own.rows[kind];
        const results = await search(texts[by]?.(row) ?? '', await staff());
        const found = results.find(({ id }) => id === row.id);
        expect(found).toMatchObject({ kind: ResourceKind[kind], name: row.name });
      },
    );

    it('finds a client key by its thumbprint', async () => {
      const { id } = own.rows.CLIENT_KEY;
      const kid = keyThumbprintOf('Zebra');
      const found = { id, kind: ResourceKind.CLIENT_KEY, detail: kid };
      for (const query of [kid, kid.slice(0, 10)]) {
        expect(await search(query, await staff())).toContainEqual(expect.objectContaining(found));
      }
      expect(await idsOf(kid, await staff(scopeText('clients:read')))).not.toContain(id);
    });

    itHoldsFor(kinds, 23)('finds no resource without the scope of its list', async (kind) => {
      const { id, name } = own.rows[kind];
      const credential = await staff(scopeText(searchedKinds[kind]));
      for (const query of [id, name || id]) {
        expect(await idsOf(query, credential)).not.toContain(id);
      }
    });

    itHoldsFor(kinds, 23)(
      'finds with this scope alone the resource, not its owner',
      async (kind) => {
        const { id } = own.rows[kind];
        const [found, ...others] = await search(id, await staff(searchedKinds[kind]));
        expect(found).toMatchObject({ id });
        expect(others).toEqual([]);
        const scope = searchedKinds[kind];
        const named = found?.parents.filter(({ name }) => name !== '') ?? [];
        const mayName: Record<string, string> = {
          'workspaces:read': 'ws',
          'documents:read': 'doc',
          'clients:read': 'cli',
          'users:read': 'usr',
        };
        expect(named.filter((parent) => !parent.id.startsWith(mayName[scope] ?? ' '))).toEqual([]);
      },
    );

    itHoldsFor(product(['member', 'workspace_key'] as const, kinds), 46)(
      'finds for a caller of a workspace only its resources',
      async (type, kind) => {
        const finds = (kindsOf[type] as readonly SearchedName[]).includes(kind);
        const mine = await limited[type](own.workspaceId);
        for (const query of [own.rows[kind].id, own.rows[kind].name || own.rows[kind].id]) {
          const ids = await idsOf(query, mine);
          expect(ids.includes(own.rows[kind].id), query).toBe(finds);
        }
        for (const query of [other.rows[kind].id, other.rows[kind].name || other.rows[kind].id]) {
          expect(await idsOf(query, mine), query).toEqual([]);
        }
        const named = (of: SearchedRows) => ({ workspaceId: of.workspaceId });
        const foreign = search(own.rows[kind].id, mine, named(other));
        await expect(foreign).rejects.toThrow('forbidden');
        const ids = await idsOf(own.rows[kind].id, mine, named(own));
        expect(ids.includes(own.rows[kind].id)).toBe(finds);
      },
    );

    it('shows the owners, the address and the workspace of a result', async () => {
      const found = async (kind: SearchedName) =>
        (await search(own.rows[kind].id, await staff()))[0];
      const { CLIENT, USER, WORKSPACE, DOCUMENT } = own.rows;
      for (const kind of ['CLIENT_SECRET', 'CLIENT_KEY', 'FEDERATED_IDENTITY'] as const) {
        expect(await found(kind)).toMatchObject({ parents: [CLIENT], workspaceId: '' });
      }
      expect(await found('USER')).toMatchObject({ detail: 'zebra-user@example.com', parents: [] });
      expect(await found('AUDIENCE')).toMatchObject({ detail: 'urn:zebra' });
      expect(await found('WORKSPACE')).toMatchObject({ parents: [], workspaceId: '' });
      for (const kind of ['PASSKEY', 'USER_IDENTITY', 'SESSION'] as const) {
        expect(await found(kind)).toMatchObject({ parents: [USER], workspaceId: '' });
      }
      const workspaceId = WORKSPACE.id;
      expect(await found('LINK')).toMatchObject({ parents: [DOCUMENT, WORKSPACE], workspaceId });
      for (const kind of ['VISITOR', 'DOMAIN'] as const) {
        expect(await found(kind)).toMatchObject({ parents: [WORKSPACE], workspaceId });
      }
    });

    it('finds a user by the address', async () => {
      expect(await idsOf('ZEBRA-user@', await staff())).toEqual([own.rows.USER.id]);
    });

    it('finds a link by its URL, by a URL below it, and by the part after /s/', async () => {
      const url = `https://share.example/s/${own.slug}`;
      for (const query of [url, `${url}/documents/doc_1?page=2`, own.slug, ` ${own.slug} `]) {
        expect(await idsOf(query, await staff()), query).toEqual([own.rows.LINK.id]);
      }
      expect(await idsOf(url, await memberOf(other.workspaceId))).toEqual([]);
      expect(await idsOf(url.slice(0, -1), await staff())).toEqual([]);
    });

    it('finds disabled owners and revoked links, but no expired invitation', async () => {
      const { db } = suite.app.inside;
      const { rows } = await addSearchedRows(db, 'Ended');
      const time = Date.now();
      const changes = [
        ['clients', rows.CLIENT, { disable_time: time }],
        ['links', rows.LINK, { revoke_time: time }],
        ['folders', rows.FOLDER, { remove_time: time }],
        ['invitations', rows.INVITATION, { expire_time: time }],
      ] as const;
      await changeAsOtherProcess(db, async (trx) => {
        for (const [table, { id }, change] of changes) {
          await trx.updateTable(table).set(change).where('id', '=', id).execute();
        }
      });
      const found = await idsOf('ended', await staff());
      expect(found).toEqual(expect.arrayContaining([rows.CLIENT.id, rows.LINK.id]));
      expect(found).not.toContain(rows.FOLDER.id);
      expect(found).not.toContain(rows.INVITATION.id);
    });

    it('lists the best match first, and lets the kinds take turns', async () => {
      const { db } = suite.app.inside;
      for (const [id, name] of [
        ['cli_mango1', 'Ripe mango'],
        ['cli_mango2', 'Mango tree'],
        ['cli_mango3', 'Mango'],
        ['cli_mango4', 'Xmango'],
        ['cli_mango5', 'Mango juice'],
      ] as const) {
        await db.insertInto('clients').values({ id, name, scopes: '', create_time: 1 }).execute();
      }
      const customer = { id: 'cus_mango', name: 'Mango traders', create_time: 1 };
      await db.insertInto('customers').values(customer).execute();
      const results = await search('mango', await staff());
      expect(results.map(({ name }) => name)).toEqual([
        ...['Mango', 'Mango juice', 'Mango traders', 'Mango tree', 'Ripe mango', 'Xmango'],
      ]);
      expect(await search('mango', await staff(), { pageSize: 2 })).toHaveLength(2);
    });

    const literal = [
      '%%',
      '__',
      '%ebra',
      'z_bra cl',
      'zebra*',
      "z'ebra",
      'zebra" or 1=1 --',
      '\\\\',
    ];
    itHoldsFor(literal, 8)('reads no character as a wildcard', async (query) => {
      expect(await search(query, await staff())).toEqual([]);
      const id = `cli_${Buffer.from(query).toString('hex')}`;
      const client = { id, name: `${query} tail`, scopes: '', create_time: 1 };
      await suite.app.inside.db.insertInto('clients').values(client).execute();
      expect(await idsOf(query, await staff())).toEqual([id]);
    });

    const refused = ['', 'a', ' a ', '  ', '\u00a0\u00a0', '\u2003a', 'a'.repeat(201)];
    itHoldsFor(refused, 7)('refuses a query', async (query) => {
      await expect(search(query, await staff())).rejects.toThrow(/invalid_argument.*query/);
    });
  });
});
