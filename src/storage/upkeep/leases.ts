// Leases: each background job of a deployment runs in the process that holds the job's lease. A
// process that is suspended can believe for a moment that it still holds a lease. Jobs must
// therefore also be correct, if less efficient, when two processes run them.

import { randomUUID } from 'node:crypto';
import type { ExpressionBuilder } from 'kysely';
import { createFirstError, type FirstError } from '../../base/limits/first-error.ts';
import { within } from '../../base/limits/within.ts';
import { transact } from '../database.ts';
import { hasRow } from '../queries/row-counts.ts';
import { databaseTime } from '../schema/dialect.ts';
import type { Database, Executor, Schema } from '../schema/schema.ts';

export type Lease = {
  /** Waits until this process holds the lease. Returns undefined if `signal` is aborted first. */
  acquire(signal: AbortSignal): Promise<HeldLease | undefined>;
};

export type HeldLease = {
  readonly owner: string;
  /** Aborted when the lease is lost: not renewed in time, or taken by another process. */
  readonly signal: AbortSignal;
  /** Lets another process acquire the lease. Never throws. */
  release(): Promise<void>;
};

export type Leases = {
  /** Returns the lease of a name. A process waits for or holds a lease once at most. */
  lease(name: string): Lease;
  /** Returns the number of leases that this process holds. */
  countHeld(): number;
  stop(): Promise<void>;
};

export type LeasesOptions = {
  readonly db: Database;
  /** Called with the first of several errors in a row. */
  readonly onError: (error: unknown) => void;
  /** How long a lease lasts if its holder does not renew it. */
  readonly durationMs?: number;
  /** The interval of renewals, and of attempts to acquire leases that other processes hold. */
  readonly everyMs?: number;
};

const defaultDurationMs = 10_000;

/** A stop does not wait longer for the database. */
const releaseMs = 1_000;

type Holding = HeldLease & {
  extend(requestTime: number): void;
  lose(): void;
};

export function startLeases(options: LeasesOptions): Leases {
  return new LeaseKeeper(options);
}

class LeaseKeeper implements Leases {
  readonly #durationMs: number;
  readonly #everyMs: number;
  readonly #errors: FirstError;
  readonly #owner = randomUUID();
  readonly #rows: ReturnType<typeof createLeaseRows>;
  readonly #held = new Map<string, Holding>();
  readonly #waiting = new Map<string, (lease: HeldLease) => void>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #last: Promise<void> = Promise.resolve();

  constructor({ db, onError, durationMs = defaultDurationMs, everyMs = 2_500 }: LeasesOptions) {
    this.#durationMs = durationMs;
    this.#everyMs = everyMs;
    this.#errors = createFirstError(onError);
    this.#rows = createLeaseRows(db, this.#owner, durationMs);
  }

  lease(name: string): Lease {
    return { acquire: (signal) => this.#acquire(name, signal) };
  }

  countHeld(): number {
    return this.#held.size;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#last;
    for (const holding of [...this.#held.values()]) holding.lose();
  }

  #acquire(name: string, signal: AbortSignal): Promise<HeldLease | undefined> {
    if (this.#waiting.has(name) || this.#held.has(name)) {
      throw new Error(`another job of this process uses the lease "${name}"`);
    }
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const giveUp = () => {
        this.#waiting.delete(name);
        resolve(undefined);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.set(name, (lease) => {
        signal.removeEventListener('abort', giveUp);
        resolve(lease);
      });
      this.#startRound();
    });
  }

  #startRound(): void {
    clearTimeout(this.#timer);
    this.#last = this.#last.then(() => this.#runRound());
  }

  async #runRound(): Promise<void> {
    if (this.#isStopped) return;
    try {
      await this.#renewHeld();
      await this.#acquireWaiting();
      this.#errors.succeed();
    } catch (error) {
      this.#errors.fail(error);
    }
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.#startRound(), this.#everyMs).unref();
  }

  async #renewHeld(): Promise<void> {
    const holdings = [...this.#held];
    if (holdings.length === 0) return;
    const requestTime = performance.now();
    const renewed = await this.#rows.renew(holdings.map(([name]) => name));
    for (const [name, holding] of holdings) {
      if (this.#held.get(name) !== holding) continue;
      if (renewed.has(name)) holding.extend(requestTime);
      else holding.lose();
    }
  }

  async #acquireWaiting(): Promise<void> {
    if (this.#waiting.size === 0) return;
    // A failed attempt to acquire a lease would be a write. This read is cheaper.
    const taken = await this.#rows.findTaken([...this.#waiting.keys()]);
    for (const name of [...this.#waiting.keys()].filter((waiting) => !taken.has(waiting))) {
      const requestTime = performance.now();
      if (!(await this.#rows.acquire(name))) continue;
      const give = this.#waiting.get(name);
      this.#waiting.delete(name);
      if (give === undefined) await this.#rows.release(name);
      else give(this.#hold(name, requestTime));
    }
  }

  #hold(name: string, requestTime: number): HeldLease {
    const controller = new AbortController();
    let deadline: NodeJS.Timeout | undefined;
    const holding: Holding = {
      owner: this.#owner,
      signal: controller.signal,
      release: async () => {
        holding.lose();
        await within(releaseMs, this.#rows.release(name)).catch(() => {});
      },
      extend: (time) => {
        clearTimeout(deadline);
        const trailingBodyMs = time + this.#durationMs - performance.now();
        deadline = setTimeout(holding.lose, trailingBodyMs).unref();
      },
      lose: () => {
        clearTimeout(deadline);
        if (this.#held.get(name) === holding) this.#held.delete(name);
        controller.abort();
      },
    };
    holding.extend(requestTime);
    this.#held.set(name, holding);
    return holding;
  }
}

/** A lease that ends too late was written before the clock was set back, and is ignored. */
function isCurrent(db: Executor, durationMs: number) {
  return (eb: ExpressionBuilder<Schema, 'leases'>) =>
    eb.and([
      eb('leases.expire_time', '>', databaseTime(db)),
      eb('leases.expire_time', '<=', databaseTime(db, 2 * durationMs)),
    ]);
}

/** Returns whether any process holds a lease of the default duration. */
export function isLeaseHeld(db: Executor, name: string): Promise<boolean> {
  return hasRow(selectHeld(db).where('name', '=', name));
}

/** Selects the names of the leases that processes hold for the default duration. */
export const selectHeld = (db: Executor) =>
  db.selectFrom('leases').select('name').where(isCurrent(db, defaultDurationMs));

/** The queries. Each of them is a single statement, so that its outcome needs no lock. */
function createLeaseRows(db: Database, owner: string, durationMs: number) {
  return {
    acquire: (name: string): Promise<boolean> =>
      transact(db, async (trx) => {
        const expire_time = databaseTime(trx, durationMs);
        const { numInsertedOrUpdatedRows = 0n } = await trx
          .insertInto('leases')
          .values({ name, owner, expire_time })
          .onConflict((conflict) =>
            conflict
              .column('name')
              .doUpdateSet({ owner, expire_time })
              .where((eb) =>
                eb.or([eb('leases.owner', '=', owner), eb.not(isCurrent(trx, durationMs)(eb))]),
              ),
          )
          .executeTakeFirstOrThrow();
        return numInsertedOrUpdatedRows > 0n;
      }),

    /** Returns the names of the leases that this process still has. Expired ones stay expired. */
    renew: (names: readonly string[]): Promise<Set<string>> =>
      transact(db, async (trx) => {
        const renewed = await trx
          .updateTable('leases')
          .set({ expire_time: databaseTime(trx, durationMs) })
          .where('owner', '=', owner)
          .where('name', 'in', names)
          .where(isCurrent(trx, durationMs))
          .returning('name')
          .execute();
        return new Set(renewed.map(({ name }) => name));
      }),

    release: (name: string): Promise<void> =>
      transact(db, async (trx) => {
        const own = trx.deleteFrom('leases').where('name', '=', name).where('owner', '=', owner);
        await own.execute();
      }),

    async findTaken(names: readonly string[]): Promise<Set<string>> {
      const taken = await db
        .selectFrom('leases')
        .select('name')
        .where('name', 'in', names)
        .where('owner', '!=', owner)
        .where(isCurrent(db, durationMs))
        .execute();
      return new Set(taken.map(({ name }) => name));
    },
  };
}
