// Reports the transactions of a database to a trace.
import type { KyselyPlugin, PluginTransformQueryArgs, PluginTransformResultArgs } from 'kysely';
import type { Database } from '../schema/schema.ts';

export type EndSpan = (error?: unknown) => void;

/** Starts a span of the current call. Returns undefined if the call is not traced. */
export type StartSpan = (
  name: string,
  attributes: Readonly<Record<string, string>>,
) => EndSpan | undefined;

class TransactionSpans implements KyselyPlugin {
  readonly #startSpan: StartSpan;
  readonly #attributes: Readonly<Record<string, string>>;

  constructor(startSpan: StartSpan, system: 'sqlite' | 'postgresql') {
    this.#startSpan = startSpan;
    this.#attributes = { 'db.system.name': system };
  }

  start(): EndSpan | undefined {
    return this.#startSpan('transaction', this.#attributes);
  }

  transformQuery({ node }: PluginTransformQueryArgs) {
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs) {
    return result;
  }
}

export function traceTransactions(db: Database, url: string, startSpan: StartSpan): Database {
  const system = url.startsWith('sqlite:') ? 'sqlite' : 'postgresql';
  return db.withPlugin(new TransactionSpans(startSpan, system));
}

/** Returns undefined if the database or the current call is not traced. */
export function startTransactionSpan(db: Database): EndSpan | undefined {
  return db
    .getExecutor()
    .plugins.find((plugin) => plugin instanceof TransactionSpans)
    ?.start();
}
