// Rotates signing keys automatically. A new key is published ahead of time, activated when it is
// due, and removed once its last token has expired. Each step is decided within the transaction
// that performs it, so that two processes cannot perform it twice.

import { isDeepStrictEqual } from 'node:util';
import type { AuditLog } from '../../audit/audit-log.ts';
import { type Clock, dayMs } from '../../base/clock.ts';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import type { Lease } from '../../storage/upkeep/leases.ts';
import { startPeriodicTask } from '../../storage/upkeep/periodic-task.ts';
import type { Keyring } from './keyring.ts';
import { dueStep, type KeyStep } from './lifecycle.ts';
import { generateSigningKey } from './signing-key.ts';
import { applyKeyStep, keyStepActions, keyStepTarget } from './state-changes.ts';
import { findPublishedKeys, lockSigningKeys } from './store.ts';

export type Rotation = {
  tick(): Promise<void>;
  stop(): Promise<void>;
};

export type RotationOptions = {
  readonly masterKey: MasterKey;
  readonly keyring: Keyring;
  readonly auditLog: AuditLog;
  readonly rotationDays: number;
  readonly lease: Lease;
  readonly now: Clock;
  readonly onError: (error: unknown) => void;
};

/** Steps are planned an hour ahead, so a minute's delay does not matter. */
const tickMs = 60_000;

export async function startRotation(options: RotationOptions): Promise<Rotation> {
  const { keyring, now, onError } = options;
  const periodMs = options.rotationDays * dayMs;

  async function tick(): Promise<void> {
    for (;;) {
      const step = dueStep(await keyring.facts(), now(), periodMs);
      if (step === undefined) return;
      await tryStep(options, step, periodMs);
    }
  }
  // Every process does the steps that are due at its start, because it may need a key at once.
  await tick().catch(onError);
  const task = startPeriodicTask({ pauseMs: tickMs, round: tick, onError, lease: options.lease });
  return { tick, stop: task.stop };
}

const doneElsewhere = new Error('another process has taken the step');

/** Afterwards the keyring knows the new state, whichever process performed the step. */
async function tryStep(
  { masterKey, keyring, auditLog, now }: RotationOptions,
  step: KeyStep,
  periodMs: number,
): Promise<void> {
  const spare = await generateSigningKey(masterKey, 'alg' in step ? step.alg : undefined);
  const change = { target: keyStepTarget(step, spare) };
  try {
    await auditLog.changeBySystem(keyStepActions[step.kind], change, async (trx) => {
      await lockSigningKeys(trx);
      const due = dueStep(await findPublishedKeys(trx), now(), periodMs);
      if (!isDeepStrictEqual(due, step)) throw doneElsewhere;
      await applyKeyStep(trx, step, { spare, now: now() });
    });
  } catch (error) {
    if (error !== doneElsewhere) throw error;
    await keyring.reload();
  }
}
