// The one guard. Every handler is wrapped once, at start, before any face sees it:
// authenticate -> kind of caller -> scope -> recent sign-in -> decode -> workspace -> bounds ->
// handler -> error catalogue, metrics, log.
import { create, type DescMessage, type Message, type MessageInitShape } from '@bufbuild/protobuf';
import type { Validator } from '@bufbuild/protovalidate';
import type { HandlerContext } from '@connectrpc/connect';
import { PrincipalType } from '../../gen/latchkey/options/v1/access_pb.js';
import { boundsOf, type CheckBounds } from './bounds.ts';
import type { Call } from './call.ts';
import { bearerChallenge } from './challenge.ts';
import {
  type Endpoint,
  type Handler,
  type MethodFacts,
  methodFacts,
  type ReadRequest,
} from './endpoint.ts';
import { type ErrorCode, type Failure, fail } from './errors.ts';
import {
  type Principal,
  principalTypes,
  resolveWorkspace,
  setPrincipal,
  setWorkspace,
} from './principal.ts';

/** Tells whom a credential stands for; undefined for one that is no good. */
export type Authenticate = (credential: string) => Promise<Principal | undefined>;

/** What the guard tells of a call that has ended. */
export type Observation = {
  readonly method: MethodFacts;
  readonly call: Call;
  readonly principal: Principal;
  /** Undefined for a success. */
  readonly failure: Failure | undefined;
  readonly durationMs: number;
};

export type GuardOptions = {
  readonly authenticateToken: Authenticate;
  readonly authenticateWorkspaceKey: Authenticate;
  readonly validator: Validator;
  /** How long a sign-in counts as recent. */
  readonly stepUpSeconds: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly observe: (observation: Observation) => void;
  /** Turns whatever a handler threw into an error of the catalogue. */
  readonly failureOf: (thrown: unknown) => Failure;
};

export type Guard = (descriptor: MethodFacts['descriptor'], handler: Handler) => Endpoint;

export function createGuard(options: GuardOptions): Guard {
  return (descriptor, handler) => {
    const method = methodFacts(descriptor);
    const visit = new Visit(options, method);
    switch (descriptor.methodKind) {
      case 'unary':
        return { ...method, kind: 'unary', invoke: guardUnary(visit, handler) };
      case 'client_streaming':
        return { ...method, kind: 'client_streaming', invoke: guardUpload(visit, handler) };
      case 'server_streaming':
        return { ...method, kind: 'server_streaming', invoke: guardDownload(visit, handler) };
      case 'bidi_streaming':
        throw new Error(`${method.name}: no face carries streams in both directions`);
    }
  };
}

type Answer = MessageInitShape<DescMessage>;

function guardUnary(visit: Visit, handler: Handler) {
  // ServiceImpl has paired handler and descriptor; here their message types are no longer known.
  const handle = handler as (request: Message, context: HandlerContext) => Promise<Answer> | Answer;
  const output = visit.method.descriptor.output;
  return async (call: Call, read: ReadRequest): Promise<Message> => {
    const started = performance.now();
    let principal = nobody;
    try {
      principal = await visit.identify(call);
      visit.admit(call, principal);
      const request = visit.accept(call, principal, read());
      const answer = create(output, await handle(request, call.context));
      visit.observe(call, principal, started, undefined);
      return answer;
    } catch (thrown) {
      throw visit.observe(call, principal, started, visit.failureOf(thrown));
    }
  };
}

function guardUpload(visit: Visit, handler: Handler) {
  const handle = handler as (
    requests: AsyncIterable<Message>,
    context: HandlerContext,
  ) => Promise<Answer>;
  const output = visit.method.descriptor.output;
  return async (call: Call, requests: AsyncIterable<Message>): Promise<Message> => {
    const started = performance.now();
    let principal = nobody;
    try {
      principal = await visit.identify(call);
      visit.admit(call, principal);
      const answer = create(output, await handle(visit.acceptEach(requests), call.context));
      visit.observe(call, principal, started, undefined);
      return answer;
    } catch (thrown) {
      throw visit.observe(call, principal, started, visit.failureOf(thrown));
    }
  };
}

function guardDownload(visit: Visit, handler: Handler) {
  const handle = handler as (request: Message, context: HandlerContext) => AsyncIterable<Answer>;
  const output = visit.method.descriptor.output;
  return async function* (call: Call, read: ReadRequest): AsyncGenerator<Message> {
    const started = performance.now();
    let principal = nobody;
    let failure: Failure | undefined;
    let ended = false;
    try {
      principal = await visit.identify(call);
      visit.admit(call, principal);
      const request = visit.accept(call, principal, read());
      for await (const answer of handle(request, call.context)) yield create(output, answer);
      ended = true;
    } catch (thrown) {
      failure = visit.failureOf(thrown);
      throw failure;
    } finally {
      // A face that has enough (HEAD) ends the stream early, too.
      if (!ended && call.isGone()) failure ??= fail('canceled', 'The caller went away.');
      visit.observe(call, principal, started, failure);
    }
  };
}

const nobody: Principal = { type: 'anonymous' };

/** The guard's steps for one method. */
class Visit {
  readonly method: MethodFacts;
  readonly #options: GuardOptions;
  readonly #principals: ReadonlySet<PrincipalType>;
  readonly #check: CheckBounds;

  constructor(options: GuardOptions, method: MethodFacts) {
    this.#options = options;
    this.method = method;
    this.#principals = new Set(method.access.principals);
    this.#check = boundsOf(method.descriptor.input, options.validator);
  }

  /** Every `forbidden` names the scope (RFC 6750 §3.1), whoever has thrown it. */
  failureOf(thrown: unknown): Failure {
    const failure = this.#options.failureOf(thrown);
    if (failure.code !== 'forbidden' || failure.extra.challenge !== undefined) return failure;
    const { scope } = this.method.access;
    const challenge = bearerChallenge('insufficient_scope', { scope });
    return fail('forbidden', failure.message, { ...failure.extra, challenge });
  }

  /** Finds out who calls; throws where the credential that is needed is missing or no good. */
  async identify(call: Call): Promise<Principal> {
    return this.method.access.public ? nobody : this.#authenticate(call);
  }

  /** Lets the caller in, or throws. */
  admit(call: Call, principal: Principal): void {
    const { access } = this.method;
    if (access.public) return;
    if (!this.#principals.has(principalTypes[principal.type])) {
      throw fail('forbidden', 'This kind of caller may not do this.');
    }
    // Authenticated callers other than nobody all carry scopes.
    if (principal.type === 'anonymous' || !principal.scopes.has(access.scope)) {
      throw fail('forbidden', `The scope ${access.scope} is needed.`);
    }
    if (access.recentSignIn && principal.type === 'staff') this.#checkSignIn(principal.authTime);
    setPrincipal(call.context, principal);
  }

  async #authenticate(call: Call): Promise<Principal> {
    const header = call.header('authorization');
    if (header === undefined) throw refusal('unauthenticated', 'A bearer credential is needed.');
    const credential = bearerPattern.exec(header)?.[1];
    if (credential === undefined) {
      const error = /^bearer +./i.test(header) ? 'invalid_token' : undefined;
      const detail = 'The Authorization header is not `Bearer <credential>`.';
      throw refusal('unauthenticated', detail, error);
    }
    const isKey = credential.startsWith('lk_');
    if (isKey && !this.#principals.has(PrincipalType.WORKSPACE_KEY)) {
      throw refusal('unauthenticated', 'A token is needed here, not a key.', 'invalid_token');
    }
    const principal = isKey
      ? await this.#options.authenticateWorkspaceKey(credential)
      : await this.#options.authenticateToken(credential);
    if (principal === undefined) {
      throw refusal('unauthenticated', 'The credential is not valid.', 'invalid_token');
    }
    return principal;
  }

  #checkSignIn(authTime: number): void {
    const { stepUpSeconds, now } = this.#options;
    if (now() / 1000 - authTime <= stepUpSeconds) return;
    throw refusal(
      'step_up_required',
      `A sign-in within the last ${stepUpSeconds} seconds is needed.`,
      'insufficient_user_authentication',
      { max_age: stepUpSeconds },
    );
  }

  /** Checks a decoded request against its workspace and its bounds. */
  accept(call: Call, principal: Principal, request: Message): Message {
    if (this.method.access.workspace) {
      const named = (request as { workspaceId?: string }).workspaceId ?? '';
      setWorkspace(call.context, resolveWorkspace(principal, named));
    }
    this.#check(request);
    return request;
  }

  async *acceptEach(requests: AsyncIterable<Message>): AsyncGenerator<Message> {
    for await (const request of requests) {
      this.#check(request);
      yield request;
    }
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

/** RFC 6750 §2.1; the scheme's name is case-insensitive (RFC 9110 §11.1). */
const bearerPattern = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

function refusal(
  code: ErrorCode,
  detail: string,
  error?: string,
  parameters?: Readonly<Record<string, string | number>>,
): Failure {
  return fail(code, detail, { challenge: bearerChallenge(error, parameters) });
}
