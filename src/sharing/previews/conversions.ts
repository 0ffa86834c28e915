// Converts the queued Office files. Two tasks of each node take them from the database, so that a
// restart or another node continues. A lease protects each file while it is converted.
import { hostname } from 'node:os';
import type { Clock } from '../../base/clock.ts';
import { Failure } from '../../base/errors/errors.ts';
import { transact } from '../../storage/database.ts';
import type { Database } from '../../storage/schema/schema.ts';
import type { Leases } from '../../storage/upkeep/leases.ts';
import { type PeriodicTask, startPeriodicTask } from '../../storage/upkeep/periodic-task.ts';
import { converterLease } from '../queries/converters.ts';
import {
  type ConversionResult,
  convertVersion,
  type VersionConversion,
} from './convert-version.ts';
import type { ConversionError } from './converter/conversion-errors.ts';
import { OfficeUnavailable, removeAbandonedFolders } from './converter/converter.ts';
import {
  countQueue,
  findDue,
  findPreview,
  jobLease,
  type QueuedVersion,
  updateQueued,
  type VersionKey,
} from './store.ts';

export type ConversionReport = {
  readonly documentId: string;
  readonly version: number;
  readonly result: ConversionResult | 'unavailable';
  readonly seconds: number;
};

export type ConversionsOptions = VersionConversion & {
  readonly db: Database;
  readonly leases: Leases;
  readonly observe: (report: ConversionReport) => void;
  readonly observeQueue: (length: number) => void;
  readonly warn: (facts: object, message: string) => void;
  readonly now: Clock;
};

/** The files that one node converts at a time. */
const slots = 2;
const attemptsMax = 3;
const retryMs = 10_000;
const leaseWaitMs = 5_000;

export function startConversions(options: ConversionsOptions): PeriodicTask[] {
  const { db, leases, warn } = options;
  const convertNext = createConversions(options);
  const onError = (err: unknown) => warn({ err }, 'cannot convert Office files');
  const tasks = Array.from({ length: slots }, (_, slot) =>
    startPeriodicTask({
      pauseMs: 1_000,
      lease: leases.lease(converterLease(hostname(), slot)),
      async round(signal) {
        do options.observeQueue(await countQueue(db));
        while ((await convertNext(signal)) && !signal.aborted);
      },
      onError,
    }),
  );
  const tidying = startPeriodicTask({
    pauseMs: 3_600_000,
    round: removeAbandonedFolders,
    onError: (err) => warn({ err }, 'cannot remove old folders of conversions'),
  });
  return [...tasks, tidying];
}

/** Returns a function that converts one queued file, and returns false without one. */
function createConversions(options: ConversionsOptions) {
  const { db, leases, observe, now } = options;
  const underWay = new Set<string>();
  let lastWorkspace = '';

  async function convertNext(signal: AbortSignal): Promise<boolean> {
    // The workspaces take turns.
    const key = (await findDue(db, now(), lastWorkspace)) ?? (await findDue(db, now(), ''));
    if (key === undefined) return false;
    lastWorkspace = key.workspace_id;
    const name = jobLease(key);
    // The other task of this process has found it, too.
    if (underWay.has(name)) return false;
    underWay.add(name);
    try {
      const waiting = AbortSignal.any([signal, AbortSignal.timeout(leaseWaitMs)]);
      const lease = await leases.lease(name).acquire(waiting);
      if (lease === undefined) return false;
      try {
        await attempt(key, AbortSignal.any([signal, lease.signal]));
      } finally {
        await lease.release();
      }
    } finally {
      underWay.delete(name);
    }
    return true;
  }

  async function attempt(key: QueuedVersion, signal: AbortSignal): Promise<void> {
    const attempts = await begin(key);
    if (attempts === undefined) return;
    const since = performance.now();
    const report = (result: ConversionReport['result']) =>
      observe({
        documentId: key.document_id,
        version: key.version,
        result,
        seconds: (performance.now() - since) / 1000,
      });
    try {
      const result = await convertVersion(options, key, signal);
      if (result !== 'ready' && result !== 'deleted') await fail(key, result, attempts);
      report(result);
    } catch (error) {
      // A stop or a lost lease says nothing about the file.
      if (signal.aborted) return postpone(key, attempts - 1, 0);
      report('unavailable');
      await postpone(key, isOutage(error) ? attempts - 1 : attempts, retryMs * attempts);
      throw error;
    }
  }

  /** Counts an attempt. Returns undefined if the version is not queued any more. */
  function begin(key: VersionKey): Promise<number | undefined> {
    return transact(db, async (trx) => {
      const row = await findPreview(trx, key.document_id, key.version);
      const attempts = 1 + (row?.attempts ?? 0);
      if (attempts > attemptsMax) {
        await updateQueued(trx, key, { state: 'failed', error: 'interrupted' });
        return undefined;
      }
      return (await updateQueued(trx, key, { attempts })) ? attempts : undefined;
    });
  }

  /** A crash may have other reasons than the file. */
  async function fail(key: VersionKey, error: ConversionError, attempts: number): Promise<void> {
    if (error === 'crashed' && attempts < attemptsMax) {
      return postpone(key, attempts, retryMs * attempts);
    }
    await transact(db, (trx) => updateQueued(trx, key, { state: 'failed', error }));
  }

  async function postpone(key: VersionKey, attempts: number, waitMs: number): Promise<void> {
    const due_time = now() + waitMs;
    await transact(db, (trx) => updateQueued(trx, key, { attempts, due_time }));
  }

  return convertNext;
}

/** Says nothing about the file either: the blob store, the database or LibreOffice is missing. */
const isOutage = (error: unknown) =>
  error instanceof OfficeUnavailable || (error instanceof Failure && error.code === 'unavailable');
