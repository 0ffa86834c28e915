// The refusals of the steps of a gate, as the form shows them.
import { type ErrorCode, Failure } from '../../base/errors/errors.ts';

export type StepRefusal = {
  readonly status: number;
  readonly text: string;
  readonly retryAfterSeconds?: number;
  readonly failure?: Failure;
};

export const refusals = {
  noPassword: { status: 400, text: 'Enter the password.' },
  wrongPassword: { status: 403, text: 'Wrong password.' },
  noEmail: { status: 400, text: 'Enter an email address such as name@example.com.' },
  noCode: { status: 400, text: 'Enter the 6 digits of the code.' },
  otherAgreement: {
    status: 400,
    text: 'The agreement has changed. Read it, and accept the new text.',
  },
  wrongCode: {
    status: 403,
    text: 'This code is wrong or has expired. Check it or request a new one.',
  },
} as const satisfies Record<string, StepRefusal>;

export const notOnList = (email: string): StepRefusal => ({
  status: 403,
  text:
    `${email} doesn’t have access to the document. Enter another address, or ask the sender for ` +
    'access.',
});

export const sentAlready = (seconds: number): StepRefusal => ({
  status: 429,
  text: `We already sent a code. You can request a new one in ${spanOf(seconds)}.`,
  retryAfterSeconds: seconds,
});

export function noNewCode(failure: Failure): StepRefusal {
  const { retryAfterSeconds = 1 } = failure.extra;
  const text =
    'Too many codes were requested, so we sent no new one. If you got codes in the last 10 ' +
    `minutes, try the newest first. You can request a new one in ${spanOf(retryAfterSeconds)}.`;
  return { status: failure.status, text, retryAfterSeconds, failure };
}

/** Turns an error that the form can show into a refusal. Rethrows other errors. */
export function refused(thrown: unknown): { readonly refusal: StepRefusal } {
  if (!(thrown instanceof Failure)) throw thrown;
  const { retryAfterSeconds = 1 } = thrown.extra;
  const texts: Partial<Record<ErrorCode, string>> = {
    rate_limited: `${thrown.message} Try again in ${spanOf(retryAfterSeconds)}.`,
    unavailable: 'The service is temporarily unavailable. Try again in a moment.',
  };
  const text = texts[thrown.code];
  if (text === undefined) throw thrown;
  return { refusal: { status: thrown.status, text, retryAfterSeconds, failure: thrown } };
}

function spanOf(seconds: number): string {
  const [count, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
