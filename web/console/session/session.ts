/**
 * Who is signed in, and the token for their requests. The token lives in this module's memory only;
 * what outlives a reload is the session's cookie, which no script can read.
 */
import { type Client, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import {
  type RefreshSessionResponse,
  SessionService,
  type SignedInUser,
  type SignInResponse,
} from '../../../gen/latchkey/identity/v1/session_pb.js';
import { reasonOf } from './reason.ts';

export type SessionState =
  /** It is being found out whether the browser holds a session. */
  | { readonly status: 'starting' }
  | { readonly status: 'unknown'; readonly error: ConnectError }
  | { readonly status: 'out'; readonly hasEnded: boolean }
  | {
      readonly status: 'in';
      readonly user: SignedInUser;
      readonly scopes: ReadonlySet<string>;
    };

export type Credentials = {
  readonly email: string;
  readonly password: string;
  /** Empty for a user without an authenticator app. */
  readonly otp: string;
};

/** A token that ends sooner is renewed before it is used. */
const marginMs = 15_000;

export class Session {
  readonly #client: Client<typeof SessionService>;
  readonly #listeners = new Set<() => void>();
  #state: SessionState = { status: 'starting' };
  #token = '';
  /** By `performance.now()`. */
  #tokenEnd = 0;
  #renewing: Promise<void> | undefined;

  /** `transport`: one that adds no token. */
  constructor(transport: Transport) {
    this.#client = createClient(SessionService, transport);
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Calls back after every change; returns what ends that. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Finds out whether the browser holds a session. Never throws. */
  async start(): Promise<void> {
    await this.renew().catch((cause) => {
      if (this.#state.status === 'out') return;
      this.#become({ status: 'unknown', error: ConnectError.from(cause) });
    });
  }

  /** A token that is good for some seconds at least. Throws where there is no session. */
  async token(): Promise<string> {
    if (performance.now() > this.#tokenEnd - marginMs) await this.renew();
    return this.#token;
  }

  /** Another token of the session, with what the user may do now. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** Throws what the server says against it. */
  async signIn(credentials: Credentials): Promise<void> {
    this.#accept(await this.#client.signIn(credentials));
  }

  /** Ends the session in the browser and, unless the server cannot be reached, there. */
  async signOut(): Promise<void> {
    const headers = this.#token === '' ? {} : { authorization: `Bearer ${this.#token}` };
    try {
      await this.#client.signOut({}, { headers });
    } catch (error) {
      // A session that has ended already is what was asked for.
      if (reasonOf(error) !== 'unauthenticated') throw error;
    }
    this.#end(false);
  }

  async #renew(): Promise<void> {
    try {
      this.#accept(await this.#client.refreshSession({}));
    } catch (error) {
      if (reasonOf(error) === 'unauthenticated') this.#end(this.#state.status === 'in');
      throw error;
    }
  }

  #accept(answer: SignInResponse | RefreshSessionResponse): void {
    const { accessToken, expiresIn, scope, user } = answer;
    if (user === undefined) throw new TypeError('the answer names no user');
    this.#token = accessToken;
    this.#tokenEnd = performance.now() + expiresIn * 1000;
    this.#become({ status: 'in', user, scopes: new Set(scope.split(' ')) });
  }

  #end(hasEnded: boolean): void {
    this.#token = '';
    this.#tokenEnd = 0;
    this.#become({ status: 'out', hasEnded });
  }

  #become(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
