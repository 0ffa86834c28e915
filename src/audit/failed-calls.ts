// Records failed authentications and refused changes as audit events. They are written in batches,
// never while a caller waits. Memory and disk use is limited, even under an attack.

import type { MethodFacts } from '../api/endpoint.ts';
import type { Observation } from '../api/method-guard.ts';
import type { Clock } from '../base/clock.ts';
import { newId, type Random } from '../base/crypto/ids.ts';
import type { ErrorCode, Failure } from '../base/errors/errors.ts';
import { createFirstError } from '../base/limits/first-error.ts';
import { transact } from '../storage/database.ts';
import type { AuditEventRow, Database } from '../storage/schema/schema.ts';
import { originOf } from './audit-log.ts';
import { insertMissingEvents } from './store.ts';

/** The recorded errors: for all methods, or only for methods that change something. */
const recorded: Partial<Record<ErrorCode, 'all' | 'changes'>> = {
  unauthenticated: 'all',
  'identity.credential_invalid': 'all',
  'identity.code_invalid': 'all',
  step_up_required: 'changes',
  second_factor_required: 'changes',
  forbidden: 'changes',
};

const differentMax = 256;
const targetLengthMax = 128;

const batchMs = 1_000;
/** Each full batch doubles the pause up to this, so that an attack does not fill the disk. */
const batchMsMax = 60_000;
/** After its calls have ended, a stopping process has one second left. */
const stopMs = 800;

export type FailedCalls = {
  record(observation: Observation): void;
  stop(): Promise<void>;
};

export type FailedCallsOptions = {
  readonly db: Database;
  readonly random: Random;
  readonly now: Clock;
  readonly warn: (facts: object, message: string) => void;
};

export function createFailedCalls({ db, random, now, warn }: FailedCallsOptions): FailedCalls {
  let batch = new Batch();
  /** The batch being written. A retry has the same ids, so that no row is stored twice. */
  let unwritten: readonly AuditEventRow[] = [];
  let waitMs = batchMs;
  const errors = createFirstError((err) =>
    warn(
      { err, failures: countOf(unwritten) },
      'cannot write audit events of failures; trying again',
    ),
  );
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    if (unwritten.length === 0) {
      waitMs = batch.isFull ? Math.min(waitMs * 2, batchMsMax) : batchMs;
      unwritten = batch.failures().map((one) => ({ ...one, id: newId('evt', random) }));
      batch = new Batch();
    }
    const rows = unwritten;
    await transact(db, (trx) => insertMissingEvents(trx, rows));
    unwritten = [];
    errors.succeed();
  }

  function schedule(): void {
    timer ??= setTimeout(() => {
      writing = write()
        .catch(errors.fail)
        .finally(() => {
          timer = undefined;
          if (unwritten.length > 0 || !batch.isEmpty) schedule();
        });
    }, waitMs).unref();
  }

  async function writeRest(): Promise<void> {
    await writing;
    clearTimeout(timer);
    while (unwritten.length > 0 || !batch.isEmpty) await write();
  }

  return {
    record({ method, call, principal, failure }) {
      if (failure === undefined || !isRecorded(failure, method)) return;
      batch.add({
        create_time: now(),
        ...originOf({ method, call, principal }),
        target: (failure.extra.target ?? '').slice(0, targetLengthMax),
        code: failure.code,
        reason: failure.extra.reason ?? '',
        count: 1,
      });
      schedule();
    },

    async stop() {
      const late = new Promise<never>((_, reject) => {
        setTimeout(() => reject(new Error('the database takes too long')), stopMs).unref();
      });
      await Promise.race([writeRest(), late]).catch((err: unknown) => {
        const failures = countOf(unwritten) + countOf(batch.failures());
        warn({ err, failures }, 'audit events of failures were lost');
      });
    },
  };
}

/** A failure with a reason is always recorded. */
function isRecorded({ code, extra }: Failure, { sideEffects }: MethodFacts): boolean {
  if (extra.reason !== undefined) return true;
  return recorded[code] === 'all' || (recorded[code] === 'changes' && sideEffects);
}

type Failed = Omit<AuditEventRow, 'id'>;

function countOf(failures: readonly Failed[]): number {
  return failures.reduce((sum, { count }) => sum + count, 0);
}

const unknown = {
  ...{ actor_id: '', acting_client: '', token_id: '', target: '', reason: '' },
  ...{ request_id: '', address: '' },
};

/** Equal failures are one event. A full batch counts by kind of caller, method and code. */
class Batch {
  readonly #different = new Map<string, Failed>();
  readonly #rest = new Map<string, Failed>();

  add(failed: Failed): void {
    const kind = `${failed.actor_type} ${failed.action} ${failed.code}`;
    const { actor_id, acting_client, token_id, address } = failed;
    const by = `${actor_id} ${acting_client} ${token_id} ${address}`;
    const key = `${kind} ${by} ${failed.target} ${failed.reason}`;
    const equal = this.#different.get(key);
    if (equal !== undefined) equal.count++;
    else if (!this.isFull) this.#different.set(key, failed);
    else this.#addRest(kind, failed);
  }

  #addRest(kind: string, failed: Failed): void {
    const equal = this.#rest.get(kind);
    if (equal !== undefined) equal.count++;
    else this.#rest.set(kind, { ...failed, ...unknown });
  }

  get isFull(): boolean {
    return this.#different.size === differentMax;
  }

  get isEmpty(): boolean {
    return this.#different.size === 0;
  }

  failures(): readonly Failed[] {
    return [...this.#different.values(), ...this.#rest.values()];
  }
}
