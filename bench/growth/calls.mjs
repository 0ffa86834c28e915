// The calls that are measured with few and with many rows.

import { IssuanceService } from '../../dist/gen/latchkey/identity/v1/issuance_pb.js';
import { DocumentService } from '../../dist/gen/latchkey/sharing/v1/document_pb.js';
import { LinkService } from '../../dist/gen/latchkey/sharing/v1/link_pb.js';
import { idOf, timeOf } from './fill.mjs';

const tokenAt = (time) => Buffer.from(`1.${time}.zzzz`).toString('base64url');

/** Lists with a name, a path and whether the demo workspace's API key calls them. */
const lists = ({ workspaceId, clientId }, few) => {
  const event = (filter) => ['audit log', `/audit-events?${filter}`];
  const link = idOf('lnk', 2);
  return [
    ['documents', '/api/v1/documents'],
    ['links', '/api/v1/links'],
    ['links of a document', `/api/v1/links?document_id=${idOf('doc', 2)}`],
    ['views of a link', `/api/v1/links/${link}/views`],
    ['API keys of the workspace', `/api/v1/api-keys?workspace_id=${workspaceId}`],
    ['clients', '/clients'],
    ['secrets of a client', `/clients/${clientId}/secrets`],
    ['customers', '/customers'],
    ['accounts', '/accounts'],
    ['accounts of a customer', `/accounts?customer_id=${idOf('cus', 1)}`, few],
    ['users', '/users'],
    ['staff', '/users?kind=USER_KIND_STAFF'],
    ['a user by email', '/users?email=0000000000000000000007@example.com', few],
    ['workspaces', '/workspaces'],
    ['members of a workspace', `/workspaces/${workspaceId}/members`],
    ['sessions of a user', '/sessions'],
    event(''),
    event('actor=actor'),
    event('action=LinkService.CreateLink'),
    event('target=target'),
    event('code=ok'),
    event('code=rare'),
    event('action=LinkService.CreateLink&code=rare'),
    event('actor=actor&code=nothing'),
  ].map(([name, path, hasFew = '']) => ({ name, path, hasFew: hasFew !== '' }));
};

function listCalls(options) {
  const { client, demo, now, count, tokens } = options;
  const time = (n) => timeOf({ now, count }, n);
  const pages = [
    ['first', undefined],
    ['middle', tokenAt(time(count / 2))],
    ['last', tokenAt(time(60))],
  ];
  return lists(demo, 'few').flatMap(({ name, path, hasFew }) =>
    pages.slice(0, hasFew ? 1 : 3).map(([page, position]) => {
      const query = position === undefined ? '' : `page_token=${position}`;
      const url = `${path}${path.includes('?') ? '&' : '?'}${query}`;
      const filter = path.includes('audit') ? `, ${path.split('?')[1] || 'no filter'}` : '';
      const isOfKey = path.startsWith('/api') && !path.includes('api-keys');
      const token = isOfKey ? demo.apiKey : undefined;
      const work = () => client.json('GET', url, { token: token ?? tokens.staff });
      return [`list: ${name}${filter}, ${page} page`, work];
    }),
  );
}

function singleCalls({ client, demo, count, tokens }) {
  const key = { token: demo.apiKey };
  const staff = { token: tokens.staff };
  const any = (prefix, i) => idOf(prefix, ((i * 997) % (count / 2 - 2)) * 2 + 2);
  const get = (path, options) => (i) => client.json('GET', path(i), options);
  return [
    ['get: document', get((i) => `/api/v1/documents/${any('doc', i)}`, key)],
    ['get: link', get((i) => `/api/v1/links/${any('lnk', i)}`, key)],
    ['get: workspace with usage', get(() => `/workspaces/${demo.workspaceId}`, staff)],
    ['get: client', get((i) => `/clients/${any('cli', i)}`, staff)],
    ['get: customer', get((i) => `/customers/${any('cus', i)}`, staff)],
    ['get: account', get((i) => `/accounts/${any('acc', i)}`, staff)],
    ['get: user', get((i) => `/users/${any('usr', i)}`, staff)],
    [
      'gRPC: GetDocument',
      (i) =>
        client.call(DocumentService.method.getDocument, { documentId: any('doc', i) }, key.token),
    ],
    ['gRPC: ListLinks', () => client.call(LinkService.method.listLinks, {}, key.token)],
    [
      'gRPC: IssueToken',
      () => {
        const { clientId, clientSecret } = demo;
        const fields = { clientId, clientSecret, scope };
        return client.call(IssuanceService.method.issueToken, fields);
      },
    ],
    ['issue a token', () => issue(client, demo)],
    [
      'verify a new token',
      async () => {
        const token = await issue(client, demo);
        await client.json('POST', '/tokens/verify', { ...staff, body: { token } });
      },
    ],
  ];
}

/** The filled names are equal: the worst case for a search by the start of a name. */
function searchCalls({ client, demo, count, tokens }) {
  const some = (prefix, i) => idOf(prefix, ((i * 997) % (count / 2 - 2)) * 2 + 2);
  const search = (query, token) => async (i) => {
    const { results } = await client.json('GET', `/search?query=${query(i)}`, { token });
    if (results.length === 0) throw new Error(`the search for ${query(i)} found nothing`);
  };
  const shared = [
    ['an id', (i) => some('doc', i)],
    ['the start of a name', () => 'a%20name'],
    ['a part of a name', () => 'some%20length'],
  ];
  const forStaff = [
    ...shared,
    ['the start of an id', (i) => some('cli', i).slice(0, -2)],
    ['an email address', (i) => `${some('usr', i).slice('usr_'.length)}@example.com`],
  ];
  return [
    ...forStaff.map(([name, query]) => [`search: ${name}, staff`, search(query, tokens.staff)]),
    ...shared.map(([name, query]) => [`search: ${name}, API key`, search(query, demo.apiKey)]),
  ];
}

const scope = 'accounts:read';

const issue = async (client, { clientId, clientSecret }) => {
  const body = { client_id: clientId, client_secret: clientSecret, scope };
  return (await client.json('POST', '/tokens', { body })).access_token;
};

function writingCalls({ client, demo, tokens, count }) {
  const key = { token: demo.apiKey };
  const staff = { token: tokens.staff };
  const post = (path, body, options) => client.json('POST', path, { ...options, body });
  // The odd documents have few links; the even ones belong to the demo workspace.
  const quiet = (i) => idOf('doc', ((i * 997) % (count / 4 - 2)) * 4 + 6);
  return [
    ['create: link', (i) => post('/api/v1/links', { document_id: quiet(i) }, key)],
    ['create: client', () => post('/clients', { name: 'x', scopes: ['accounts:read'] }, staff)],
    ['create: customer', () => post('/customers', { name: 'x' }, staff)],
    ['create: workspace', () => post('/workspaces', { name: 'x' }, staff)],
    [
      'create and revoke: API key of the workspace',
      async () => {
        const workspace_id = demo.workspaceId;
        const body = { workspace_id, name: 'x', scopes: ['documents:read'] };
        const made = await post('/api/v1/api-keys', body, staff);
        const query = `workspace_id=${workspace_id}`;
        await client.json('DELETE', `/api/v1/api-keys/${made.key.id}?${query}`, staff);
      },
    ],
    [
      'revoke: token',
      async () => post('/tokens/revoke', { token: await issue(client, demo) }, staff),
    ],
    ['sign in', () => post('/sessions', demo.staff), { count: 20 }],
    [
      'open a link and report a view',
      async () => {
        const slug = `/s/${'2'.padStart(22, '0')}`;
        const { headers } = await client.send('GET', slug);
        const cookie = headers['set-cookie'].map((text) => text.split(';')[0]).join('; ');
        const form = 'visit=aaaaaaaaaaaaaaaa&pages=1%3A0';
        const { status } = await client.send('POST', `${slug}/view`, { cookie, form });
        if (status !== 204) throw new Error(`the report of a view got ${status}`);
      },
      { count: 60 },
    ],
    ['delete: document', (i) => client.json('DELETE', `/api/v1/documents/${quiet(i)}`, key)],
  ];
}

/** Returns `[name, work, options?]`. */
export const callsOf = (options) => [
  ...listCalls(options),
  ...singleCalls(options),
  ...searchCalls(options),
  ...writingCalls(options),
];
