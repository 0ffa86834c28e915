// The way in: what a gate asks for, one after the other, and what it makes of the answers.

import type { PasswordQueue, Passwords } from '../../credentials/passwords.ts';
import { type Random, randomText } from '../../crypto/ids.ts';
import { type ErrorCode, Failure } from '../../errors/errors.ts';
import { readEmail } from '../../net/email.ts';
import { transact } from '../../storage/database.ts';
import { everyMs } from '../../storage/every.ts';
import type { Database, LinkRow } from '../../storage/schema.ts';
import { hasProven } from './browsers.ts';
import type { Asker, Claim, Codes } from './codes.ts';
import type { Admission, Gate, Viewer } from './gate.ts';
import type { Guesses } from './guesses.ts';
import type { Progress } from './progress.ts';

/** What is asked for; each is also the name of its form's field. */
export type Step = 'password' | 'email' | 'code';

export type Visitor = {
  readonly network: string;
  readonly progress: Progress;
  /** The browser, where it has passed a step of the link's gate before. */
  readonly browser: string | undefined;
};

/** Why a step has to be done again. */
export type Refusal = {
  readonly status: number;
  /** For the visitor. */
  readonly text: string;
  readonly retryAfterSeconds?: number;
  /** For the log. */
  readonly failure?: Failure;
};

/** Where a visitor stands after a form. */
export type Outcome = {
  readonly progress: Progress;
  readonly admission?: Admission;
  readonly refusal?: Refusal;
  /** The step that was refused. */
  readonly again?: Step;
  /** Whether the password was shown just now. */
  readonly hasShownPassword?: boolean;
  /** The address that was proven just now. */
  readonly provenEmail?: string;
  /** Whether a code was sent once more. */
  readonly hasResent?: boolean;
};

export type Entrance = {
  /** What comes next; undefined where nothing is left. */
  stepOf(link: LinkRow, progress: Progress): Step | undefined;
  take(link: LinkRow, form: URLSearchParams, visitor: Visitor): Promise<Outcome>;
};

export type EntranceOptions = {
  readonly db: Database;
  readonly gate: Gate;
  readonly passwords: Passwords;
  readonly guesses: Guesses;
  readonly codes: Codes;
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

type TakeStep = (link: LinkRow, form: URLSearchParams, visitor: Visitor) => Promise<Outcome>;

const sweepEveryMs = 60_000;

export function createEntrance(options: EntranceOptions): Entrance {
  const { db, gate, passwords, guesses, codes, random, now } = options;

  /** Rows come with forms, and go with them. */
  const sweep = everyMs(sweepEveryMs, now, () =>
    transact(db, async (trx) => {
      await guesses.sweep(trx);
      await codes.sweep(trx);
    }),
  );

  async function enter(link: LinkRow, progress: Progress, email: string): Promise<Outcome> {
    const admission = await gate.admit(link, { email });
    return admission === undefined ? { progress } : { progress, admission };
  }

  const steps = {
    async password(link, form, { progress, ...visitor }) {
      const password = form.get('password') ?? '';
      if (password === '') return { progress, refusal: refusals.noPassword };
      let forgive = async () => {};
      const queue: PasswordQueue = {
        kind: 'links',
        owner: [link.workspace_id, link.id],
        // In its turn: a flood of guesses must not fill the database's queue, either.
        async first() {
          forgive = await guesses.count({ linkId: link.id, ...visitor });
        },
      };
      if (!(await passwords.verify(link.password_hash ?? undefined, password, queue))) {
        return { progress, refusal: refusals.wrongPassword };
      }
      await forgive();
      const next = { ...progress, knowsPassword: true };
      const outcome = asksForEmail(link) ? { progress: next } : await enter(link, next, '');
      return { ...outcome, hasShownPassword: true };
    },

    async email(link, form, { progress, ...visitor }) {
      const email = readEmail(form.get('email') ?? '');
      if (email === undefined) return { progress, refusal: refusals.noEmail };
      if (link.email_verification_required === 0) return enter(link, progress, email);
      // One that was sent a moment ago is as good as a new one.
      const id = progress.visitor === '' ? randomText(random) : progress.visitor;
      await codes.send(claimOf(link, email), askerOf(visitor, id));
      return { progress: { ...progress, email, visitor: id } };
    },

    async code(link, form, { progress, ...visitor }) {
      const { email = '', visitor: id } = progress;
      const claim = claimOf(link, email);
      const action = form.get('code') ?? '';
      if (action === 'other') return { progress: { ...progress, email: undefined } };
      if (action === 'again') {
        const waitSeconds = await codes.send(claim, askerOf(visitor, id));
        if (waitSeconds === 0) return { progress, hasResent: true };
        return { progress, refusal: sentAlready(waitSeconds) };
      }
      const code = action.replaceAll(/\s/g, '');
      if (!/^\d{6}$/.test(code)) return { progress, refusal: refusals.noCode };
      const prove: Viewer['prove'] = (trx) => codes.redeem(trx, claim, { code, visitor: id });
      const admission = await gate.admit(link, { email, prove });
      return admission === undefined
        ? { progress, refusal: refusals.wrongCode }
        : { progress, admission, provenEmail: email };
    },
  } satisfies Record<Step, TakeStep>;

  return {
    stepOf,
    async take(link, form, visitor) {
      await sweep();
      let outcome: Outcome = { progress: visitor.progress };
      for (const step of order) {
        const { progress } = outcome;
        if (!form.has(step) || !isDue(step, stepOf(link, progress))) continue;
        const taken = await steps[step](link, form, { ...visitor, progress }).catch(refused);
        outcome = { ...outcome, ...taken };
        if ('admission' in taken) return outcome;
        if ('refusal' in taken) return { ...outcome, again: step };
      }
      return outcome;
    },
  };
}

const claimOf = (link: LinkRow, email: string): Claim => ({
  linkId: link.id,
  workspaceId: link.workspace_id,
  email,
});

const askerOf = ({ network, browser }: Omit<Visitor, 'progress'>, visitor: string): Asker => ({
  network,
  provenBrowser: hasProven(browser) ? browser : undefined,
  visitor,
});

const order: readonly Step[] = ['password', 'email', 'code'];

const asksForEmail = (link: LinkRow) =>
  link.email_required === 1 || link.email_verification_required === 1;

function stepOf(link: LinkRow, { knowsPassword, email }: Progress): Step | undefined {
  if (link.password_hash !== null && !knowsPassword) return 'password';
  if (!asksForEmail(link)) return undefined;
  return link.email_verification_required === 1 && email !== undefined ? 'code' : 'email';
}

/** Whoever is asked for a code may still go back and give another address. */
function isDue(step: Step, next: Step | undefined): boolean {
  return step === next || (step === 'email' && next === 'code');
}

const refusals = {
  noPassword: { status: 400, text: 'Enter the password.' },
  wrongPassword: { status: 403, text: 'Wrong password.' },
  noEmail: { status: 400, text: 'Enter an e-mail address such as name@example.com.' },
  noCode: { status: 400, text: 'Enter the 6 digits of the code.' },
  wrongCode: {
    status: 403,
    text: 'This code is wrong or has expired. Check it or request a new one.',
  },
} as const satisfies Record<string, Refusal>;

const sentAlready = (seconds: number): Refusal => ({
  status: 429,
  text: `We already sent a code. You can request a new one in ${spanOf(seconds)}.`,
  retryAfterSeconds: seconds,
});

/** What the page itself can say; anything else is thrown on. */
function refused(thrown: unknown): { readonly refusal: Refusal } {
  if (!(thrown instanceof Failure)) throw thrown;
  const { retryAfterSeconds = 1 } = thrown.extra;
  const texts: Partial<Record<ErrorCode, string>> = {
    rate_limited: `${thrown.message} Try again in ${spanOf(retryAfterSeconds)}.`,
    unavailable: 'This is temporarily unavailable. Try again in a moment.',
  };
  const text = texts[thrown.code];
  if (text === undefined) throw thrown;
  return { refusal: { status: thrown.status, text, retryAfterSeconds, failure: thrown } };
}

function spanOf(seconds: number): string {
  const [count, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
