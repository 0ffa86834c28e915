// Explains the queries of lists.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  CompiledQuery as Compiled,
  type CompiledQuery,
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteQueryCompiler,
} from 'kysely';
import type { Database, Schema } from '../../src/storage/schema/schema.ts';
import { rowsPerTable } from './many-rows.ts';
import type { Dialect } from './matrix.ts';

/** Returns the names of the store functions whose source contains the call. */
export function functionsWith(call: string): (string | undefined)[] {
  const src = path.resolve(import.meta.dirname, '../../src');
  const stores = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('/store.ts'),
  );
  return stores.flatMap((name) =>
    readFileSync(path.join(src, name), 'utf8')
      .split(/^(?=(?:export )?(?:(?:async )?function|const) )/m)
      .filter((text) => text.includes(call))
      .map((text) => /^(?:export )?(?:(?:async )?function|const) (\w+)/.exec(text)?.[1]),
  );
}

export type PlanLimits = {
  readonly filter: string;
  /** Few rows are sorted, however large the table is. */
  readonly sortsFew?: boolean;
  /** PostgreSQL may sort so many rows. */
  readonly sortedMax?: number;
  /** The only index that selects exactly the rows of the list. */
  readonly index?: string;
};

/** Collects the queries. Each returns these rows. */
export async function queriesOf(
  dialect: Dialect,
  work: (db: Database) => Promise<unknown>,
  rows: readonly object[] = [],
): Promise<CompiledQuery[]> {
  const queries: CompiledQuery[] = [];
  const recorder = new Kysely<Schema>({
    dialect: {
      createAdapter: () => (dialect === 'sqlite' ? new SqliteAdapter() : new PostgresAdapter()),
      createDriver: () => new FixedDriver(rows),
      createQueryCompiler: () =>
        dialect === 'sqlite' ? new SqliteQueryCompiler() : new PostgresQueryCompiler(),
      createIntrospector: () => {
        throw new Error('no schema is asked for');
      },
    },
    log: ({ query }) => void queries.push(query),
  });
  await work(recorder);
  return queries;
}

class FixedDriver extends DummyDriver {
  readonly #rows: readonly object[];

  constructor(rows: readonly object[]) {
    super();
    this.#rows = rows;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return {
      executeQuery: async () => ({ rows: [...this.#rows] as never[] }),
      streamQuery() {
        throw new Error('no query is streamed');
      },
    };
  }
}

/** Reports why a query gets slower as its table grows; empty if it does not. */
export async function findCosts(
  db: Database,
  dialect: Dialect,
  { sql: text, parameters }: CompiledQuery,
  { sortsFew = false, sortedMax = rowsPerTable / 20, filter, index = '' }: PlanLimits,
): Promise<string> {
  if (dialect === 'sqlite') {
    const explained = Compiled.raw(`explain query plan ${text}`, [...parameters]);
    const { rows } = await db.executeQuery<{ detail: string }>(explained);
    const plan = rows.map(({ detail }) => detail);
    // A scan in index order until the page is full is fast only without a filter.
    // The rows of a count and of a search are limited.
    const slow =
      filter === 'none' ? /^SCAN (?!.*USING|counted|found|matching)/ : /^SCAN (?!\(|counted)/;
    const costs = plan.filter(
      (line) => slow.test(line) || (!sortsFew && line.includes('TEMP B-TREE')),
    );
    const isShort = costs.length === 0 && plan.join().includes(index);
    return isShort ? '' : plan.join('; ');
  }
  // Counts at most 10,000 rows, in whichever way reads the fewest pages.
  if (/^select count.* limit /s.test(text)) return '';
  const explained = Compiled.raw(`explain (format json) ${text}`, [...parameters]);
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(explained);
  const nodes = rows[0]?.['QUERY PLAN'].flatMap(({ Plan }) => nodesOf(Plan)) ?? [];
  const costs = nodes.filter((node) => isCostly(node, sortedMax));
  if (index !== '' && !nodes.some((node) => node['Index Name'] === index)) {
    return `${index} is not used`;
  }
  return costs.map((node) => `${node['Node Type']} of ${node['Plan Rows']} rows`).join('; ');
}

type PlanNode = {
  readonly 'Node Type': string;
  readonly 'Plan Rows': number;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
};

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

function isCostly({ 'Node Type': type, 'Plan Rows': rows }: PlanNode, sortedMax: number) {
  return type === 'Seq Scan' || (/Sort/.test(type) && rows > sortedMax);
}
