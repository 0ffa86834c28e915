/**
 * The signed-in user and their access token. The token is kept in memory only. After a reload, the
 * session cookie, which scripts cannot read, provides a new one.
 */
import type { JsonObject } from '@bufbuild/protobuf';
import { type Client, Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import {
  type RefreshSessionResponse,
  SessionService,
  type SignedInUser,
  type SignInResponse,
  type SignInWithPasskeyResponse,
} from '../../../gen/latchkey/identity/v1/session_pb.js';
import { Listeners } from '../shared/listeners.ts';
import { localError, reasonOf } from './error-details.ts';
import { sessionMarker } from './session-marker.ts';

export type SessionState =
  /** The console is checking whether the browser has a session. */
  | { readonly status: 'starting' }
  | { readonly status: 'unknown'; readonly error: ConnectError }
  | { readonly status: 'out'; readonly why: SignedOutReason }
  | {
      readonly status: 'in';
      readonly user: SignedInUser;
      readonly scopes: ReadonlySet<string>;
      /** Whether the session replaced that of another user, and in which tab. */
      readonly replaced: ReplacedSession;
    };

export type SignedOutReason = 'never in' | 'ended' | 'signed out';

export type ReplacedSession = 'no one' | 'in this tab' | 'in another tab';

export type SignInCredentials = {
  readonly email: string;
  readonly password: string;
  /** Empty for a user without an authenticator app. */
  readonly otp: string;
};

type TokenResponse = SignInResponse | SignInWithPasskeyResponse | RefreshSessionResponse;

/** A token that expires sooner is renewed before use. */
const marginMs = 15_000;

export class Session {
  readonly #client: Client<typeof SessionService>;
  readonly #notifyOtherTabs: () => void;
  readonly #listeners = new Listeners();
  readonly subscribe = this.#listeners.subscribe;
  #state: SessionState = { status: 'starting' };
  #token = '';
  /** By `performance.now()`. */
  #tokenEnd = 0;
  #renewing: Promise<void> | undefined;
  #lastUserId = '';
  /** Counts sign-ins and sign-outs: responses to requests from before one are ignored. */
  #era = 0;

  /**
   * `transport` must not add a token. `notifyOtherTabs` is called after a sign-in or sign-out,
   * because the other tabs share the cookie.
   */
  constructor(transport: Transport, notifyOtherTabs: () => void) {
    this.#client = createClient(SessionService, transport);
    this.#notifyOtherTabs = notifyOtherTabs;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Empty if no one is signed in. */
  get userId(): string {
    return this.#state.status === 'in' ? this.#state.user.id : '';
  }

  /** Checks whether the browser has a session. Never throws. */
  async start(): Promise<void> {
    this.#become({ status: 'starting' });
    await this.renew().catch((cause) => {
      if (this.#state.status !== 'starting') return;
      this.#become({ status: 'unknown', error: ConnectError.from(cause) });
    });
  }

  /** Resolves to a token that is valid for at least 15 seconds. Throws without a session. */
  async token(): Promise<string> {
    if (performance.now() > this.#tokenEnd - marginMs) await this.renew();
    return this.#token;
  }

  /**
   * Sends a request with a token of the user. A rejected token, as after a sign-in in another tab,
   * is renewed once. If the new token belongs to another user, it throws and sends nothing.
   */
  async send<T>(request: (token: string) => Promise<T>): Promise<T> {
    const { userId } = this;
    this.requireSameUser(userId);
    await this.token();
    this.requireSameUser(userId);
    try {
      return await request(this.#token);
    } catch (error) {
      // The grace period of a required second factor has ended.
      if (reasonOf(error) === 'second_factor_required') void this.refreshNow();
      if (reasonOf(error) !== 'unauthenticated') throw error;
      this.requireSameUser(userId);
      await this.renew();
      this.requireSameUser(userId);
      return request(this.#token);
    }
  }

  /** Gets a new token with the current scopes of the user. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /**
   * Gets a new token after a change to the session or its user, here or in another tab. Never
   * throws: if the service cannot be reached, the next request tries again.
   */
  async refreshNow(): Promise<void> {
    this.#tokenEnd = 0;
    // A renewal that is already running may predate the change.
    await this.#renewing?.catch(() => {});
    await this.renew().catch(() => {});
  }

  /** Throws if the signed-in user has changed since an action started. */
  requireSameUser(userId: string): void {
    if (this.userId === userId && userId !== '') return;
    throw localError('session_changed', 'Your session has ended.', Code.Aborted);
  }

  /** Throws the error of the service. */
  async signIn(credentials: SignInCredentials): Promise<void> {
    const answer = await this.#client.signIn(credentials);
    this.#era++;
    this.#accept(answer, 'in this tab');
    this.#notifyOtherTabs();
  }

  /** Returns the options to ask the browser for a passkey. Throws the error of the service. */
  async startPasskeySignIn(userId = ''): Promise<JsonObject | undefined> {
    const { options } = await this.#client.startPasskeySignIn({ userId });
    return options;
  }

  /** Throws the error of the service. */
  async signInWithPasskey(credential: JsonObject): Promise<void> {
    const answer = await this.#client.signInWithPasskey({ credential });
    this.#era++;
    this.#accept(answer, 'in this tab');
    this.#notifyOtherTabs();
  }

  /** After a sign-in with an identity provider, which this class has not seen. */
  notifyOtherTabs(): void {
    this.#notifyOtherTabs();
  }

  /** Ends the session. Throws if the service cannot be reached. */
  async signOut(): Promise<void> {
    try {
      await this.send((token) =>
        this.#client.signOut({}, { headers: { authorization: `Bearer ${token}` } }),
      );
    } catch (error) {
      // The session has already ended.
      if (reasonOf(error) !== 'unauthenticated') throw error;
    }
    this.#end('signed out');
    this.#notifyOtherTabs();
  }

  async #renew(): Promise<void> {
    const era = this.#era;
    try {
      if (!sessionMarker.isSet()) throw noSession();
      const answer = await this.#client.refreshSession({});
      if (era !== this.#era) return;
      this.#accept(answer, 'in another tab');
    } catch (error) {
      if (era !== this.#era) return;
      const { status } = this.#state;
      // A later renewal must not overwrite the reason of the first one.
      if (reasonOf(error) === 'unauthenticated' && status !== 'out') {
        this.#end(status === 'in' ? 'ended' : 'never in');
      }
      throw error;
    }
  }

  #accept(answer: TokenResponse, where: ReplacedSession): void {
    const { accessToken, expiresIn, scope, user } = answer;
    if (user === undefined) throw new TypeError('the response contains no user');
    this.#token = accessToken;
    this.#tokenEnd = performance.now() + expiresIn * 1000;
    const replaced = this.#replacedBy(user, where);
    this.#lastUserId = user.id;
    sessionMarker.set();
    this.#become({ status: 'in', user, scopes: new Set(scope.split(' ')), replaced });
  }

  #replacedBy({ id }: SignedInUser, where: ReplacedSession): ReplacedSession {
    if (id === this.userId && this.#state.status === 'in') return this.#state.replaced;
    return this.#lastUserId === '' || this.#lastUserId === id ? 'no one' : where;
  }

  #end(why: SignedOutReason): void {
    this.#era++;
    sessionMarker.clear();
    this.#token = '';
    this.#tokenEnd = 0;
    this.#become({ status: 'out', why });
  }

  #become(state: SessionState): void {
    this.#state = state;
    this.#listeners.notify();
  }
}

const noSession = () =>
  localError('unauthenticated', 'You are not signed in.', Code.Unauthenticated);
