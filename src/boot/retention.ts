// The stage of retention: deletes the rows that no request needs any more.

import { randomBytes } from 'node:crypto';
import { purgeRecorder } from '../audit/purges.ts';
import { auditRetention, createTrustedTime } from '../audit/retention.ts';
import { clientPurge } from '../identity/clients/store.ts';
import { customerPurge } from '../identity/customers/store.ts';
import { userPurge } from '../identity/user-data/store.ts';
import { readTimesRule } from '../sharing/insight/store.ts';
import { removal, workspacePurge } from '../sharing/removal/removal.ts';
import { createUserErasure } from '../sharing/user-data/user-data.ts';
import { type PeriodicTask, startPeriodicTask } from '../storage/upkeep/periodic-task.ts';
import { purgeRule } from '../storage/upkeep/purge.ts';
import { createRetention } from '../storage/upkeep/retention.ts';
import { oldRowRules } from './old-rows.ts';
import type { AppOptions } from './options.ts';
import type { OpenStorage } from './storage.ts';

const everyMs = 60_000;

const purges = [clientPurge, customerPurge, workspacePurge, userPurge(createUserErasure())];

export type RetentionTask = PeriodicTask & {
  round(): Promise<void>;
};

/** In one process of the deployment, one minute after the end of each round. */
export function startRetention(options: AppOptions, storage: OpenStorage): RetentionTask {
  const { db, leases } = storage;
  const { config, log, random = randomBytes, now = Date.now } = options;
  const warn = (facts: object, message: string) => log.warn(facts, message);
  const trustedTime = createTrustedTime({ db, now, warn });
  const record = purgeRecorder({ random, now });
  const round = createRetention({
    db,
    warn,
    rules: [
      removal,
      ...oldRowRules(now),
      readTimesRule(),
      auditRetention({ days: config.auditRetentionDays, trustedTime }),
      ...purges.map((purge) => purgeRule(purge, { trustedTime, record })),
    ],
  });
  const onError = (err: unknown) => warn({ err }, 'cannot delete old rows');
  const lease = leases.lease('retention');
  const task = startPeriodicTask({ pauseMs: everyMs, round, onError, lease });
  return { ...task, round: () => round(new AbortController().signal) };
}
