// The guard's steps for one method.

import type { DescMethod, Message } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { PrincipalType, SessionCookie } from '../../gen/latchkey/options/v1/access_pb.js';
import type { Clock } from '../base/clock.ts';
import { bearerChallenge } from '../base/errors/challenge.ts';
import { type Failure, fail } from '../base/errors/errors.ts';
import { AccessCheck } from './access-check.ts';
import {
  type AuthenticationOptions,
  authenticateBearer,
  authenticateCookie,
} from './authentication.ts';
import { type CheckBounds, createBoundsCheck, type LoadValidator } from './bounds.ts';
import type { Call } from './call.ts';
import type { MethodFacts } from './endpoint.ts';
import { type KeyedCall, type RecordedAnswers, readKeyedCall } from './idempotency/claim.ts';
import {
  actingClientOf,
  anonymous,
  type Caller,
  type IsWorkspaceDeleted,
  isUser,
  type MembershipsOf,
  type Principal,
  principalTypes,
  setCaller,
} from './principal.ts';
import { changedPaths } from './update-mask.ts';
import { resolveWorkspace, setWorkspace } from './workspace.ts';

export type Observation = {
  readonly method: MethodFacts;
  readonly call: Call;
  readonly principal: Principal;
  readonly failure: Failure | undefined;
  readonly durationMs: number;
};

/** Throws `second_factor_required` unless the session may change the factors of its user. */
export type RequireOwnFactor = (context: HandlerContext, userId: string) => Promise<void>;

export type GuardOptions = AuthenticationOptions & {
  readonly membershipsOf: MembershipsOf;
  readonly isWorkspaceDeleted: IsWorkspaceDeleted;
  readonly loadValidator: LoadValidator;
  readonly answers: RecordedAnswers;
  readonly requireOwnFactor: RequireOwnFactor;
  readonly stepUpSeconds: number;
  readonly now: Clock;
  readonly observe: (observation: Observation) => void;
  readonly failureOf: (thrown: unknown) => Failure;
};

/** How far in the future a sign-in may be, because clocks differ. */
const clockSkewSecondsMax = 300;

const credentialNames: ReadonlyMap<PrincipalType, string> = new Map([
  [PrincipalType.SERVICE, 'service'],
  [PrincipalType.CUSTOMER, 'customer'],
  [PrincipalType.STAFF, 'staff'],
  [PrincipalType.MEMBER, 'member'],
]);

function acceptedCredentials(types: readonly PrincipalType[]): string {
  const tokens = types.flatMap((type) => credentialNames.get(type) ?? []);
  const list = new Intl.ListFormat('en-GB').format(tokens);
  const accepted = tokens.length === 0 ? [] : [`${list} tokens`];
  if (types.includes(PrincipalType.WORKSPACE_KEY)) accepted.push('workspace API keys');
  return accepted.join(', and ');
}

export class MethodGuard {
  readonly method: MethodFacts;
  readonly #options: GuardOptions;
  readonly #principals: ReadonlySet<PrincipalType>;
  readonly #check: CheckBounds;

  constructor(options: GuardOptions, method: MethodFacts) {
    this.#options = options;
    this.method = method;
    this.#principals = new Set(method.access.principals);
    this.#check = createBoundsCheck(method.descriptor.input, options.loadValidator);
  }

  get membershipsOf(): MembershipsOf {
    return this.#options.membershipsOf;
  }

  get isWorkspaceDeleted(): IsWorkspaceDeleted {
    return this.#options.isWorkspaceDeleted;
  }

  get answers(): RecordedAnswers {
    return this.#options.answers;
  }

  keyedCallOf({ call, principal }: Caller): KeyedCall | undefined {
    return this.method.acceptsIdempotencyKey ? readKeyedCall(call, principal) : undefined;
  }

  /**
   * A handler that adds factors also refuses sessions without the factors so far, which the access
   * rule does not show. A recorded answer is returned without the handler, so the guard asks again.
   * The key does not contain the session instead: users who sign in again would act twice.
   */
  async requireOwnFactor({ call, principal }: Caller): Promise<void> {
    if (!this.method.access.secondFactorEnrolment || !isUser(principal)) return;
    await this.#options.requireOwnFactor(call.context, principal.userId);
  }

  /** Adds the scope to every `forbidden` (RFC 6750 §3.1), also to those that handlers throw. */
  failureOf(thrown: unknown): Failure {
    const failure = this.#options.failureOf(thrown);
    if (failure.code !== 'forbidden' || failure.extra.challenge !== undefined) return failure;
    const { scope } = this.method.access;
    const challenge = bearerChallenge('insufficient_scope', scope === '' ? {} : { scope });
    return fail('forbidden', failure.message, { ...failure.extra, challenge });
  }

  startCheck(call: Call): AccessCheck {
    return new AccessCheck(this, call, this.#options.now());
  }

  /** A key or token that expires after `validAt` is valid. */
  authenticate(call: Call, validAt: number): Principal | Promise<Principal> {
    const { access } = this.method;
    if (access.public) return anonymous;
    const usesCookie =
      access.sessionCookie === SessionCookie.REQUIRED ||
      (access.sessionCookie === SessionCookie.ACCEPTED &&
        call.header('authorization') === undefined);
    return usesCookie
      ? authenticateCookie(this.#options, call)
      : authenticateBearer(this.#options, call, this.#principals, validAt);
  }

  authorise(caller: Caller): void {
    const { access } = this.method;
    const { principal } = caller;
    setCaller(caller.call.context, caller);
    if (access.public) return;
    if (!this.#principals.has(principalTypes[principal.type])) {
      throw fail('forbidden', `This method accepts ${acceptedCredentials(access.principals)}.`);
    }
    const isForOther = actingClientOf(principal) !== '';
    if (isForOther && access.scope === '' && !access.filtered) {
      throw fail('forbidden', 'This method does not accept tokens from a token exchange.');
    }
    if (isUser(principal) && principal.lacksSecondFactor && !access.secondFactorEnrolment) {
      throw fail('second_factor_required', 'Add a second factor to continue.');
    }
    // Only the decoded request shows whether users act for themselves.
    const mayBeSelf = access.self && isUser(principal) && !isForOther;
    if (mayBeSelf && !this.#isScoped(principal)) return;
    this.#requireScope(principal);
    if (access.recentSignIn) this.#checkSignIn(principal);
  }

  #isScoped(principal: Principal): boolean {
    const { scope, self } = this.method.access;
    if (scope === '') return !self;
    return principal.type !== 'anonymous' && principal.scopes.has(scope);
  }

  #requireScope(principal: Principal): void {
    if (this.#isScoped(principal)) return;
    const { scope } = this.method.access;
    const needed =
      scope === ''
        ? 'Users can call this method only for themselves.'
        : `The scope ${scope} is required.`;
    throw fail('forbidden', needed);
  }

  /** Throws if a user has not signed in recently (RFC 9470 §3). Other callers pass. */
  #checkSignIn(principal: Principal): void {
    if (!isUser(principal)) return;
    const { stepUpSeconds, now } = this.#options;
    const ageSeconds = now() / 1000 - principal.authTime;
    if (ageSeconds <= stepUpSeconds && ageSeconds >= -clockSkewSecondsMax) return;
    const challenge = bearerChallenge('insufficient_user_authentication', {
      max_age: stepUpSeconds,
    });
    const detail = `A sign-in within the last ${stepUpSeconds} seconds is required.`;
    throw fail('step_up_required', detail, { challenge });
  }

  validate({ call, principal }: Caller, request: Message): Message | Promise<Message> {
    const { access } = this.method;
    if (access.self && isUser(principal)) {
      const named = request as { userId?: string };
      if (named.userId === 'me') named.userId = principal.userId;
      if (named.userId !== principal.userId) {
        this.#requireScope(principal);
      } else if (access.recentSignIn) this.#checkSignIn(principal);
    }
    if (this.#changesGuarded(request)) this.#checkSignIn(principal);
    const named = (request as { workspaceId?: string }).workspaceId ?? '';
    const isLimited = access.workspace || (access.filtered && named !== '');
    if (!isLimited) return this.#bounded(request);
    return resolveWorkspace(call.context, named).then((workspaceId) => {
      setWorkspace(call.context, workspaceId);
      return this.#bounded(request);
    });
  }

  #changesGuarded(request: Message): boolean {
    const { recentSignInFields } = this.method.access;
    if (recentSignInFields.length === 0) return false;
    const { input }: DescMethod = this.method.descriptor;
    const paths = changedPaths(input, request, recentSignInFields);
    return paths.some((path) => recentSignInFields.includes(path));
  }

  #bounded(request: Message): Message | Promise<Message> {
    return this.#check(request)?.then(() => request) ?? request;
  }

  async *validateEach(
    requests: AsyncIterable<Message>,
    check: AccessCheck,
  ): AsyncGenerator<Message> {
    for await (const request of requests) {
      await check.repeatIfOld();
      yield this.#bounded(request);
    }
    await check.repeatIfOld();
  }

  observe<F extends Failure | undefined>(
    call: Call,
    principal: Principal,
    started: number,
    failure: F,
  ): F {
    const durationMs = performance.now() - started;
    this.#options.observe({ method: this.method, call, principal, failure, durationMs });
    return failure;
  }
}
