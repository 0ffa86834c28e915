// The automatic rotation: a new key is published ahead of time, signs in its turn, and goes when
// the last of its tokens has. Any number of processes try it on one database: each step is decided
// within the transaction that takes it.

import { isDeepStrictEqual } from 'node:util';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../clock.ts';
import type { MasterKey } from '../../crypto/master-key.ts';
import type { Invalidations } from '../../storage/invalidation.ts';
import { stepActions, stepTarget, takeStep } from './changes.ts';
import type { Keyring } from './keyring.ts';
import { dueStep, type KeyStep } from './lifecycle.ts';
import { generateSigningKey } from './signing-key.ts';
import { findPublishedKeys, lockSigningKeys } from './store.ts';

export type Rotation = {
  /** Does all that is due by now, unless another process does. */
  tick(): Promise<void>;
  /** Ends what is under way, and begins nothing more. */
  stop(): Promise<void>;
};

export type RotationOptions = {
  readonly masterKey: MasterKey;
  readonly keyring: Keyring;
  readonly invalidations: Invalidations;
  readonly auditLog: AuditLog;
  readonly rotationDays: number;
  readonly now: Clock;
  /** Told of a tick that failed; the next one tries again. */
  readonly onError: (error: unknown) => void;
};

const dayMs = 86_400_000;
/** The steps are planned an hour ahead: to be a minute late does not matter. */
const tickMs = 60_000;

/** Starts the rotation. What is due at once is done when this returns. */
export async function startRotation(options: RotationOptions): Promise<Rotation> {
  const { invalidations, keyring, now, onError } = options;
  const periodMs = options.rotationDays * dayMs;

  async function tick(): Promise<void> {
    // A process that has not heard of the database lately knows nothing of the keys either.
    await invalidations.ensureFresh();
    for (;;) {
      const step = dueStep(keyring.facts(), now(), periodMs);
      if (step === undefined) return;
      await tryStep(options, step, periodMs);
    }
  }
  let ticking = Promise.resolve();
  let timer: NodeJS.Timeout;
  let isStopped = false;
  async function tickAndSchedule(): Promise<void> {
    await tick().catch(onError);
    if (isStopped) return;
    timer = setTimeout(() => {
      ticking = tickAndSchedule();
    }, tickMs);
    timer.unref();
  }
  await tickAndSchedule();

  return {
    tick,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await ticking;
    },
  };
}

const doneElsewhere = new Error('another process has taken the step');

/** Takes a step unless another process has; either way, this one knows of it then. */
async function tryStep(
  { masterKey, invalidations, auditLog, now }: RotationOptions,
  step: KeyStep,
  periodMs: number,
): Promise<void> {
  const spare = await generateSigningKey(masterKey);
  const change = { target: stepTarget(step, spare) };
  try {
    await auditLog.changeBySystem(stepActions[step.kind], change, async (trx) => {
      await lockSigningKeys(trx);
      const due = dueStep(await findPublishedKeys(trx), now(), periodMs);
      if (!isDeepStrictEqual(due, step)) throw doneElsewhere;
      await takeStep(trx, step, { spare, now: now() });
    });
  } catch (error) {
    if (error !== doneElsewhere) throw error;
    await invalidations.invalidate('signing_keys');
  }
}
