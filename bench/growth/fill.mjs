// Fills every table that grows, with one statement per table.
import { openPostgres, openSqlite } from './databases.mjs';

const dayMs = 86_400_000;

/** A prime larger than the number of rows: the keys of old rows are unique and in no order. */
const prime = 1_000_003;

const dialects = {
  sqlite: {
    pad: (x) => `printf('%022d', ${x})`,
    numbers: (count) =>
      `(with recursive numbers(n) as
        (select 1 union all select n + 1 from numbers where n < ${count}) select n from numbers)`,
  },
  postgres: {
    pad: (x) => `lpad((${x})::text, 22, '0')`,
    numbers: (count) => `generate_series(1::bigint, ${count}) as numbers(n)`,
  },
};

/** Returns the id of row number `n`. Ids in the order of the rows are the fastest to insert. */
export const idOf = (prefix, n) => `${prefix}_${String(n).padStart(22, '0')}`;

/** Returns a function that makes the SQL text of the id of row number `n`. */
const idIn =
  ({ pad }) =>
  (prefix, n = 'n') =>
    `'${prefix}_' || ${pad(n)}`;

const half = (own, other) => `case when n % 2 = 0 then '${own}' else ${other} end`;

/** The time of row `n` of `count`: the rows are evenly spread over the 100 days before `now`. */
export const timeOf = ({ now, count }, n) => now - 100 * dayMs + n * stepOf(count);
const stepOf = (count) => Math.floor((100 * dayMs) / count);

/**
 * Tables without an expiry. Half of the rows belong to the demo workspace. `isBeforeLists`: the
 * schema is older than the migration 0005.
 */
function lastingTables(dialect, { now, count, demo, isBeforeLists = false }) {
  const id = idIn(dialect);
  const create_time = `${now - 100 * dayMs} + n * ${stepOf(count)}`;
  const workspaces = Math.max(10, count / 100);
  const workspace = id('ws', `n % ${workspaces} + 1`);
  const hex = `${dialect.pad('n')} || ${dialect.pad('n')} || '12345678901234567890'`;
  const flags = { email_required: 0, email_verification_required: 0, allow_download: 1 };
  const text = `'A name of some length'`;
  return [
    ['workspaces', { id: id('ws'), name: text, create_time }, workspaces],
    ['clients', { id: id('cli'), name: text, scopes: `'accounts:read'`, create_time }],
    ['customers', { id: id('cus'), name: text, create_time }],
    ['accounts', { id: id('acc'), create_time }],
    [
      'customer_accounts',
      { customer_id: id('cus', 'case when n <= 100 then 1 else n end'), account_id: id('acc') },
    ],
    [
      'credentials',
      {
        id: id('key'),
        client_id: `case when n % 3 = 0 then '${demo.clientId}' end`,
        customer_id: `case when n % 3 = 1 then ${id('cus')} end`,
        workspace_id: `case when n % 3 = 2 then '${demo.workspaceId}' end`,
        name: text,
        digest: hex,
        scopes: `'documents:read'`,
        create_time,
        revoke_time: `case when n % 3 <> 1 then ${create_time} + 1 end`,
      },
    ],
    [
      'users',
      {
        id: id('usr'),
        kind: `case when n % 1000 = 0 then 'staff' else 'member' end`,
        email: `${dialect.pad('n')} || '@example.com'`,
        name: text,
        password_hash: hex,
        scopes: `''`,
        create_time,
      },
    ],
    [
      'members',
      { workspace_id: `'${demo.workspaceId}'`, user_id: id('usr'), role: `'member'`, create_time },
      count / 2,
    ],
    [
      'members',
      { workspace_id: id('ws'), user_id: id('usr', count), role: `'owner'`, create_time },
      workspaces,
    ],
    [
      'documents',
      {
        id: id('doc'),
        workspace_id: half(demo.workspaceId, workspace),
        name: text,
        content_type: `'application/pdf'`,
        size_bytes: 1000,
        sha256: hex,
        page_count: 1,
        blob_id: dialect.pad('n'),
        create_time,
        check_time: now,
      },
    ],
    [
      'links',
      {
        id: id('lnk'),
        slug: dialect.pad('n'),
        workspace_id: half(demo.workspaceId, workspace),
        document_id: id('doc', 'case when n % 4 = 0 then 2 else n end'),
        name: text,
        ...flags,
        gate_revision: 1,
        create_time,
      },
    ],
    [
      'views',
      {
        id: id('viw'),
        link_id: id('lnk', 'case when n % 2 = 0 then 2 else n end'),
        ...(isBeforeLists
          ? {}
          : { document_id: id('doc', 'case when n % 2 = 0 then 2 else n end') }),
        email: `'reader' || (n % 5000) || '@example.com'`,
        email_verified: 0,
        create_time,
        duration_ms: 1000,
      },
    ],
    ['view_pages', { view_id: id('viw'), visit: `'0123456789abcdef'`, page: 1, duration_ms: 900 }],
  ];
}

/** The columns by which retention deletes old rows, oldest first. */
export const retained = {
  audit_events: 'create_time',
  sessions: 'expire_time',
  throttle_counters: 'level_time',
};

/** The times of old rows are the milliseconds after this one. */
export const oldTimeOf = ({ now }) => now - 800 * dayMs;

/** Tables with an expiry or a retention. `isOld`: every row can be deleted. */
function passingTables(dialect, { now, count, demo, isOld }) {
  const id = idIn(dialect);
  const mixed = `(n * 7919317) % ${prime}`;
  const key = `${dialect.pad(mixed)} || '123456789012345678901'`;
  const old = oldTimeOf({ now });
  const create_time = isOld ? `${old} + n` : `${now - 100 * dayMs} + n * ${stepOf(count)}`;
  const expire_time = isOld ? `${old} + n` : `${now + 600_000} + n`;
  return [
    [
      'audit_events',
      {
        id: id('evt', mixed),
        create_time,
        actor_type: `'client'`,
        actor_id: half('actor', id('cli')),
        action: half('LinkService.CreateLink', `'Service.Method' || (n % 50)`),
        target: half('target', id('lnk')),
        code: `case when n % 1000 = 0 then 'rare' else 'ok' end`,
        count: 1,
        request_id: dialect.pad('n'),
        address: `'192.0.2.1'`,
      },
    ],
    [
      'sessions',
      {
        id: id('ses', mixed),
        user_id: isOld ? `'${demo.staffId}'` : half(demo.staffId, id('usr')),
        digest: key,
        amr: `'pwd'`,
        address: `'192.0.2.1'`,
        create_time,
        refresh_time: create_time,
        expire_time,
        revoke_time: half('1', 'null').replaceAll(`'1'`, '1'),
      },
    ],
    [
      'gate_codes',
      {
        key,
        link_id: isOld ? `'${demo.linkId}'` : id('lnk'),
        digest: key,
        tries: 0,
        send_time: create_time,
        expire_time,
      },
    ],
    ['throttle_counters', { key, level_time: expire_time, next_time: 0 }],
    ['verified_addresses', { key, last_time: isOld ? create_time : now }],
    ['familiar_networks', { key, last_time: isOld ? create_time : now }],
  ];
}

const revokedTokens = (dialect, { now }) => [
  [
    'revoked_tokens',
    { jti: dialect.pad('n'), expire_time: `${now + 3_600_000} + n`, revision: 'n' },
  ],
];

function statementsFor(dialect, options) {
  const { count, demo, isOld, tables } = options;
  const all = isOld
    ? passingTables(dialect, options)
    : [
        ...lastingTables(dialect, options),
        ...passingTables(dialect, options),
        ...revokedTokens(dialect, options),
      ];
  const chosen = all.filter(([table]) => tables === undefined || tables.includes(table));
  const inserts = chosen.map(([table, columns, rows = count]) => [
    table,
    `insert into ${table} (${Object.keys(columns).join(', ')})
      select ${Object.values(columns).join(', ')} from ${dialect.numbers(Math.floor(rows))}`,
  ]);
  if (isOld) return { inserts, updates: [] };
  const used = { bytes: count * 500, documents: count / 2, links: count / 2, views: count / 2 };
  const usage = Object.entries(used).map(([kind, value]) => `${kind} = ${value}`);
  const quota = ['bytes', 'documents', 'links', 'views'].map(
    (kind) => `${kind}_max = 1000000000000`,
  );
  const is = (column) => `where ${column} = '${demo.workspaceId}'`;
  const updates = [
    `update links set view_count = ${count / 2} where id = '${idOf('lnk', 2)}'`,
    `update workspaces set ${quota.join(', ')} ${is('id')}`,
    `update workspace_usage set ${usage} ${is('workspace_id')}`,
    `update revisions set value = ${count} where name = 'revoked_tokens'`,
  ];
  return { inserts, updates };
}

/** Fills the database at `url`. The service must not run. Reports the seconds per table. */
export async function fill(url, options) {
  const isSqlite = url.startsWith('sqlite:');
  const { inserts, updates } = statementsFor(dialects[isSqlite ? 'sqlite' : 'postgres'], options);
  const open = () => (isSqlite ? openSqlite(url.slice('sqlite:'.length)) : openPostgres(url));
  const started = performance.now();
  const tables = [...new Set(inserts.map(([table]) => table))];
  async function fillTables() {
    const run = await open();
    for (let table = tables.shift(); table !== undefined; table = tables.shift()) {
      const begun = performance.now();
      const dropped = await run.dropIndexes(table);
      for (const [name, text] of inserts) if (name === table) await run.query(text);
      for (const text of dropped) await run.query(text);
      const seconds = (performance.now() - begun) / 1000;
      if (seconds > 1) process.stdout.write(`${table} ${seconds.toFixed(0)} s, `);
    }
    return run;
  }
  // PostgreSQL fills a table on each core.
  const runs = await Promise.all(Array.from({ length: isSqlite ? 1 : 2 }, fillTables));
  for (const text of updates) await runs[0].query(text);
  await runs[0].settle();
  for (const run of runs) await run.end();
  process.stdout.write(`filled in ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
}
