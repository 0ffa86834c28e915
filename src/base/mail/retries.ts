// When a mail that is kept in the database is tried again after a failure.

const firstWaitMs = 60_000;
const waitMsMax = 60 * firstWaitMs;

/** After about a day of failures, the mail is given up. */
export const attemptsMax = 30;

/** Returns the wait after a number of failed attempts, at least 1. It doubles up to an hour. */
export const retryWaitMs = (failed: number) => Math.min(firstWaitMs * 2 ** (failed - 1), waitMsMax);

export type WaitingMail = {
  /** When the next attempt is due. */
  readonly due_time: number;
  readonly attempts: number;
};

export type MailQueue = {
  readonly mails: number;
  /** When the mail that has waited the longest was first due; undefined without a mail. */
  readonly oldestTime: number | undefined;
};

/** The time by which every mail that has failed is due again. */
export const retriesDueBy = (now: number) => now + waitMsMax;

/** Counts the mails that are due or have failed, and not others, such as tomorrow’s digests. */
export function summarizeQueue(rows: readonly WaitingMail[], now: number): MailQueue {
  const times = rows
    .filter(({ due_time, attempts }) => attempts > 0 || due_time <= now)
    .map(firstDueTime);
  return { mails: times.length, oldestTime: times.length === 0 ? undefined : Math.min(...times) };
}

function firstDueTime({ due_time, attempts }: WaitingMail): number {
  let time = due_time;
  for (let failed = 1; failed <= attempts; failed++) time -= retryWaitMs(failed);
  return time;
}
