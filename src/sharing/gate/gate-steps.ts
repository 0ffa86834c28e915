// The steps of a gate. A visitor completes them in order by submitting forms.

import type { Clock } from '../../base/clock.ts';
import { type Random, randomText } from '../../base/crypto/ids.ts';
import { Failure } from '../../base/errors/errors.ts';
import { readEmail } from '../../base/net/email.ts';
import type { PasswordQueue, Passwords } from '../../credentials/passwords.ts';
import { transact } from '../../storage/database.ts';
import type { Database, LinkRow } from '../../storage/schema/schema.ts';
import type { Agreements } from '../agreements/agreements.ts';
import type { CodeRequester, CodeTarget, GateCodes } from './codes.ts';
import { type Admission, type GateState, hasVerifiedEmail } from './cookies.ts';
import type { ErasedReaders } from './erased-readers.ts';
import {
  type AdmittedReader,
  asksForEmail,
  type Gate,
  hasAgreement,
  hasPassword,
  requiresCode,
} from './gate.ts';
import type { PasswordThrottle } from './password-throttle.ts';
import {
  noNewCode,
  notOnList,
  refusals,
  refused,
  type StepRefusal,
  sentAlready,
} from './step-refusals.ts';

/** The value that a step asks for. The form field has the same name. */
export type GateStep = 'password' | 'email' | 'code' | 'agreement';

export type Visitor = {
  readonly network: string;
  readonly state: GateState;
  readonly browser: string | undefined;
  readonly rememberedEmail: string | undefined;
  readonly title: string | undefined;
};

export type StepOutcome = {
  readonly state: GateState;
  readonly admission?: Admission;
  readonly refusal?: StepRefusal;
  readonly repeatedStep?: GateStep;
  readonly hasShownPassword?: boolean;
  readonly verifiedEmail?: string;
  readonly hasResent?: boolean;
};

export type GateSteps = {
  /** The steps of the link for a new visitor, in order. */
  stepsOf(link: LinkRow): readonly GateStep[];
  nextStep(link: LinkRow, state: GateState): GateStep | undefined;
  /** Returns the state without its address if the reader was erased after verifying it. */
  checkState(link: LinkRow, state: GateState): Promise<GateState>;
  submit(link: LinkRow, form: URLSearchParams, visitor: Visitor): Promise<StepOutcome>;
};

export type GateStepsOptions = {
  readonly gate: Gate;
  readonly passwords: Passwords;
  readonly passwordThrottle: PasswordThrottle;
  readonly codes: GateCodes;
  readonly agreements: Pick<Agreements, 'find' | 'accept'>;
  readonly erasedReaders: Pick<ErasedReaders, 'checkSession'>;
  readonly db: Database;
  readonly random: Random;
  readonly now: Clock;
};

type CodeVisitor = Pick<Visitor, 'network' | 'browser' | 'title'> & {
  readonly visitorId: string;
};

type SubmitStep = (link: LinkRow, form: URLSearchParams, visitor: Visitor) => Promise<StepOutcome>;

export function createGateSteps(options: GateStepsOptions): GateSteps {
  const { gate, passwords, passwordThrottle, codes, agreements } = options;
  const { erasedReaders, db, random, now } = options;

  /** Resolves like `codes.send`, or to a refusal if too many codes were requested. */
  function requestCode(
    link: LinkRow,
    target: CodeTarget,
    { title, visitorId, ...visitor }: CodeVisitor,
  ): Promise<number | StepRefusal> {
    const requester = requesterOf(visitor, visitorId);
    return codes.send(target, requester, { slug: link.slug, title }).catch((thrown: unknown) => {
      if (thrown instanceof Failure && thrown.code === 'rate_limited') return noNewCode(thrown);
      throw thrown;
    });
  }

  const findAgreement = async (link: LinkRow, email: string) =>
    hasAgreement(link) ? agreements.find(link, email) : undefined;

  function admit(link: LinkRow, state: GateState, reader: AdmittedReader): StepOutcome {
    const admission = gate.admit(link, reader);
    return typeof admission === 'string' ? refuse(state, reader) : { state, admission };
  }

  const steps = {
    async password(link, form, { state, ...visitor }) {
      const password = form.get('password') ?? '';
      if (password === '') return { state, refusal: refusals.noPassword };
      let takeBackAttempt = async () => {};
      const queue: PasswordQueue = {
        kind: 'links',
        owner: [link.workspace_id, link.id],
        // Counted when the queue reaches the attempt, so that a flood of guesses does not fill the
        // database's queue.
        async first() {
          takeBackAttempt = await passwordThrottle.count({ linkId: link.id, ...visitor });
        },
      };
      if (!(await passwords.verify(link.password_hash ?? undefined, password, queue))) {
        return { state, refusal: refusals.wrongPassword };
      }
      await takeBackAttempt();
      const next = { ...state, knowsPassword: true };
      const outcome = asksForEmail(link) ? { state: next } : admit(link, next, { email: '' });
      return { ...outcome, hasShownPassword: true };
    },

    async email(link, form, { state, ...visitor }) {
      const email = readEmail(form.get('email') ?? '');
      if (email === undefined) return { state, refusal: refusals.noEmail };
      if (!requiresCode(link)) return admit(link, state, { email });
      const id = state.visitorId === '' ? randomText(random) : state.visitorId;
      const remembers = form.get('remember') === 'yes';
      const next = { ...state, email, verifiedMs: undefined, remembers, visitorId: id };
      if (email === visitor.rememberedEmail) {
        const agreement = await findAgreement(link, email);
        // An agreement is evidence: to accept one, a reader needs a new code.
        if (!hasAgreement(link) || agreement !== undefined) {
          return admit(link, next, { email, isVerified: true, agreement });
        }
      }
      // A form with a code needs no mail, and a new code would void the one in the form.
      if (isCode(codeIn(form))) return { state: next };
      const sent = await requestCode(link, codeTargetOf(link, email), {
        ...visitor,
        visitorId: id,
      });
      // The reader may have a code although no more may be sent. The answer is the same if there is
      // no code: it must not reveal whether someone requested one.
      if (typeof sent !== 'number') return { state: next, refusal: sent, repeatedStep: 'code' };
      // The wait is ignored: a code that was sent a moment ago is still valid.
      return { state: next };
    },

    async code(link, form, { state, ...visitor }) {
      const { email = '', visitorId: id } = state;
      const target = codeTargetOf(link, email);
      const action = form.get('code') ?? '';
      if (action === 'other') return { state: { ...state, email: undefined } };
      if (action === 'again') {
        const sent = await requestCode(link, target, { ...visitor, visitorId: id });
        if (sent === 0) return { state, hasResent: true };
        return { state, refusal: typeof sent === 'number' ? sentAlready(sent) : sent };
      }
      const code = codeIn(form);
      if (!isCode(code)) return { state, refusal: refusals.noCode };
      // An erasure after this time ends the verification.
      const verifiedMs = now();
      const isRight = await transact(db, (trx) => codes.redeem(trx, target, { code, visitor: id }));
      if (!isRight) return { state, refusal: refusals.wrongCode };
      const agreement = await findAgreement(link, email);
      const outcome = admit(link, state, { email, isVerified: true, agreement });
      if (outcome.refusal !== undefined) return outcome;
      if (!hasAgreement(link) || agreement !== undefined)
        return { ...outcome, verifiedEmail: email };
      return { state: { ...state, verifiedMs }, verifiedEmail: email };
    },

    async agreement(link, form, { state }) {
      const { email = '' } = state;
      // The reader accepts the text that the form has shown.
      if (form.get('agreement') !== link.agreement_sha256) {
        return { state, refusal: refusals.otherAgreement };
      }
      const reader = { email, isVerified: true };
      // The lists may have changed since the code. A refused reader accepts nothing.
      if (typeof gate.admit(link, reader) === 'string') return refuse(state, reader);
      const agreement = await agreements.accept(link, email);
      return admit(link, state, { ...reader, agreement });
    },
  } satisfies Record<GateStep, SubmitStep>;

  return {
    stepsOf: (link) => order.filter((step) => isPartOf[step](link)),
    nextStep,
    async checkState(link, state) {
      const { email = '', verifiedMs: startMs } = state;
      if (startMs === undefined) return state;
      const kept = await erasedReaders.checkSession(link.workspace_id, { email, startMs });
      return kept === undefined ? withoutEmail(state) : state;
    },
    async submit(link, form, visitor) {
      let outcome: StepOutcome = { state: visitor.state };
      for (const step of order) {
        const { state } = outcome;
        if (!form.has(step) || !isDue(step, nextStep(link, state))) continue;
        const result = await steps[step](link, form, { ...visitor, state }).catch(refused);
        outcome = { ...outcome, ...result };
        if ('admission' in result) return outcome;
        if ('refusal' in result) return { repeatedStep: step, ...outcome };
      }
      return outcome;
    },
  };
}

const codeTargetOf = (link: LinkRow, email: string): CodeTarget => ({
  linkId: link.id,
  workspaceId: link.workspace_id,
  email,
});

const requesterOf = (
  { network, browser }: Pick<Visitor, 'network' | 'browser'>,
  visitor: string,
): CodeRequester => ({
  network,
  verifiedBrowser: hasVerifiedEmail(browser) ? browser : undefined,
  visitor,
});

/** The code in a form. A pasted code may contain spaces. */
const codeIn = (form: URLSearchParams) => (form.get('code') ?? '').replaceAll(/\s/g, '');

const isCode = (text: string) => /^\d{6}$/.test(text);

const order: readonly GateStep[] = ['password', 'email', 'code', 'agreement'];

const isPartOf: Record<GateStep, (link: LinkRow) => boolean> = {
  password: hasPassword,
  email: asksForEmail,
  code: requiresCode,
  agreement: hasAgreement,
};

const withoutEmail = (state: GateState): GateState => ({
  ...state,
  email: undefined,
  verifiedMs: undefined,
});

/** The form asks for another address. */
const refuse = (state: GateState, { email }: AdmittedReader): StepOutcome => ({
  state: withoutEmail(state),
  refusal: notOnList(email),
  repeatedStep: 'email',
});

function nextStep(link: LinkRow, state: GateState): GateStep | undefined {
  if (hasPassword(link) && !state.knowsPassword) return 'password';
  if (!asksForEmail(link)) return undefined;
  if (!requiresCode(link) || state.email === undefined) return 'email';
  return hasAgreement(link) && state.verifiedMs !== undefined ? 'agreement' : 'code';
}

/** Returns whether a form may submit the step. The address can be changed later. */
function isDue(step: GateStep, next: GateStep | undefined): boolean {
  return step === next || (step === 'email' && (next === 'code' || next === 'agreement'));
}
