// The checks of credentials that expire soon and of the schedule of the signing keys.
import { dayMs } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import { findEndingCredentials } from '../credentials/ending/store.ts';
import { type ScheduledKey, scheduleOf, stepLateMs } from '../identity/keys/lifecycle.ts';
import { findPublishedKeys } from '../identity/keys/store.ts';
import { type Finding, ok, warning } from './finding.ts';
import { readCurrentDatabase } from './stores.ts';

const soonDays = 14;

const kindNames = {
  cs: ['a secret of a client', 'secrets of clients'],
  ck: ['an API key of a customer', 'API keys of customers'],
  wk: ['an API key of a workspace', 'API keys of workspaces'],
  key: ['a key of a client', 'keys of clients'],
} as const;

export async function checkCredentials(config: Config, now: number): Promise<Finding[]> {
  const found = await readCurrentDatabase(config, (db) =>
    findEndingCredentials(db, now, now + soonDays * dayMs),
  );
  if (found === undefined) return [];
  if (found.length === 0) {
    return [ok('credentials', `no credential expires within ${soonDays} days`)];
  }
  return found.map(({ kind, count, first }) => {
    const [one, several] = kindNames[kind];
    const expiry = `${first.id} at ${isoOf(first.expireTime)}`;
    const message =
      count === 1
        ? `${one} expires within ${soonDays} days: ${expiry}; replace it`
        : `${count} ${several} expire within ${soonDays} days: first ${expiry}; replace them`;
    return warning('credentials', message);
  });
}

export async function checkSigningKeys(config: Config, now: number): Promise<Finding[]> {
  const periodMs = config.keyRotationDays * dayMs;
  const schedule = await readCurrentDatabase(config, async (db) =>
    scheduleOf(await findPublishedKeys(db), now - stepLateMs, periodMs),
  );
  return schedule?.map((key) => checkSchedule(key, now)) ?? [];
}

const remedy = 'start the service, or look for "signing key rotation failed" in its log';

function checkSchedule({ kid, alg, ...times }: ScheduledKey, now: number): Finding {
  const { activateTime, rotationTime, isNextMissing } = times;
  const key = `the ${alg} key ${kid}`;
  if (rotationTime + stepLateMs <= now) {
    const since = `has been active since ${isoOf(activateTime)}`;
    const message = `${key} ${since}, longer than LATCHKEY_KEY_ROTATION_DAYS; ${remedy}`;
    return warning('signing keys', message);
  }
  const end = `${key} is replaced at ${isoOf(rotationTime)}`;
  if (isNextMissing) {
    return warning('signing keys', `${end}, but the next key is not published; ${remedy}`);
  }
  return ok('signing keys', end);
}

const isoOf = (time: number) => new Date(time).toISOString();
