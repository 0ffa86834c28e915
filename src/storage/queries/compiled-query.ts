// Compiles a query once for all of its executions. Kysely needs longer to build and compile a query
// than SQLite needs to run it.
import {
  type Compilable,
  type CompiledQuery,
  type QueryResult,
  type RawBuilder,
  sql,
} from 'kysely';
import { CommitListeners } from '../changes/cached-tables.ts';
import type { Executor } from '../schema/schema.ts';

/** The values that differ between executions, as expressions for the query builder. */
export type QueryParameters<V> = { readonly [Name in keyof V]: RawBuilder<V[Name]> };

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Returns a function that executes the query that `build` returns. `build` runs once for each
 * database. Every value in the query is one of the parameters or `sql.lit(constant)`: the first
 * execution throws if it finds another value, because later executions would repeat it. It also
 * throws if the query writes to a cached table, because `transact` would not notice the write.
 */
export function compileOnce<V extends object, R>(
  build: (db: Executor, parameters: QueryParameters<V>) => Compilable<R>,
): (db: Executor, values: V) => Promise<QueryResult<R>> {
  const compiled = new WeakMap<object, CompiledQuery<R>>();

  function compile(db: Executor): CompiledQuery<R> {
    const checked = db.withoutPlugins().withPlugin(new CommitListeners());
    const query = build(checked, placeholders as QueryParameters<V>).compile();
    if (query.parameters.every((parameter) => parameter instanceof Placeholder)) return query;
    throw new Error(`a value is neither a parameter nor sql.lit() in: ${query.sql}`);
  }

  return (db, values) => {
    const { adapter } = db.getExecutor();
    const query = compiled.get(adapter) ?? compile(db);
    compiled.set(adapter, query);
    const given = new Map<string, unknown>(Object.entries(values));
    const parameters = query.parameters.map((parameter) =>
      given.get((parameter as Placeholder).name),
    );
    return db.executeQuery({ ...query, parameters });
  };
}

const placeholders: unknown = new Proxy(
  {},
  { get: (_, name) => sql`${new Placeholder(String(name))}` },
);
