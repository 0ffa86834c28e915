/**
 * The signed-in user and their access token. The token is kept in memory only. After a reload, the
 * session cookie, which scripts cannot read, provides a new one.
 */
import { type Client, Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import {
  type RefreshSessionResponse,
  SessionService,
  type SignedInUser,
  type SignInResponse,
} from '../../../gen/latchkey/identity/v1/session_pb.js';
import { Listeners } from '../shared/listeners.ts';
import { localError, reasonOf } from './error-details.ts';

export type SessionState =
  /** It is being found out whether the browser holds a session. */
  | { readonly status: 'starting' }
  | { readonly status: 'unknown'; readonly error: ConnectError }
  | { readonly status: 'out'; readonly why: WhyOut }
  | {
      readonly status: 'in';
      readonly user: SignedInUser;
      readonly scopes: ReadonlySet<string>;
      /** Whether another user was here before, and which tab's sign-in has changed that. */
      readonly replaced: Replaced;
    };

export type WhyOut = 'never in' | 'ended' | 'signed out';

export type Replaced = 'nobody' | 'in this tab' | 'in another tab';

export type SignInCredentials = {
  readonly email: string;
  readonly password: string;
  /** Empty for a user without an authenticator app. */
  readonly otp: string;
};

/** A token that ends sooner is renewed before it is used. */
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
  /** Counts sign-ins and ends: what was asked before one of them no longer counts. */
  #era = 0;

  /**
   * `transport`: one that adds no token. `notifyOtherTabs` is called after a sign-in or a sign-out
   * here: the browser's other tabs have the same cookie, and are to catch up.
   */
  constructor(transport: Transport, notifyOtherTabs: () => void) {
    this.#client = createClient(SessionService, transport);
    this.#notifyOtherTabs = notifyOtherTabs;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Empty while nobody is signed in. */
  get userId(): string {
    return this.#state.status === 'in' ? this.#state.user.id : '';
  }

  /** Finds out whether the browser holds a session. Never throws. */
  async start(): Promise<void> {
    this.#become({ status: 'starting' });
    await this.renew().catch((cause) => {
      if (this.#state.status !== 'starting') return;
      this.#become({ status: 'unknown', error: ConnectError.from(cause) });
    });
  }

  /** A token that is good for some seconds at least. Throws where there is no session. */
  async token(): Promise<string> {
    if (performance.now() > this.#tokenEnd - marginMs) await this.renew();
    return this.#token;
  }

  /**
   * Sends with a token of the user. One that is good no more, as after a sign-in in another tab, is
   * renewed once. Where that makes it another user's, nothing is sent, and it throws.
   */
  async send<T>(request: (token: string) => Promise<T>): Promise<T> {
    const { userId } = this;
    this.requireSameUser(userId);
    await this.token();
    this.requireSameUser(userId);
    try {
      return await request(this.#token);
    } catch (error) {
      if (reasonOf(error) !== 'unauthenticated') throw error;
      this.requireSameUser(userId);
      await this.renew();
      this.requireSameUser(userId);
      return request(this.#token);
    }
  }

  /** Another token of the session, with what the user may do now. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /**
   * Learns of a change that was made to the session or to its user, here or in another tab. Never
   * throws: where the service cannot be asked now, the next request asks it.
   */
  async refreshNow(): Promise<void> {
    this.#tokenEnd = 0;
    // One under way may have been answered before the change.
    await this.#renewing?.catch(() => {});
    await this.renew().catch(() => {});
  }

  /** Throws where whoever began something is no longer the one who is signed in. */
  requireSameUser(userId: string): void {
    if (this.userId === userId && userId !== '') return;
    throw localError(
      'session_changed',
      'Nothing was done: the session in which it was begun has ended.',
      Code.Aborted,
    );
  }

  /** Throws what the service says against it. */
  async signIn(credentials: SignInCredentials): Promise<void> {
    const answer = await this.#client.signIn(credentials);
    this.#era++;
    this.#accept(answer, 'in this tab');
    this.#notifyOtherTabs();
  }

  /** Ends the session in the browser and at the service. Throws where that cannot be reached. */
  async signOut(): Promise<void> {
    try {
      await this.send((token) =>
        this.#client.signOut({}, { headers: { authorization: `Bearer ${token}` } }),
      );
    } catch (error) {
      // A session that has ended already is what was asked for.
      if (reasonOf(error) !== 'unauthenticated') throw error;
    }
    this.#end('signed out');
    this.#notifyOtherTabs();
  }

  async #renew(): Promise<void> {
    const era = this.#era;
    try {
      const answer = await this.#client.refreshSession({});
      if (era !== this.#era) return;
      this.#accept(answer, 'in another tab');
    } catch (error) {
      if (era !== this.#era) return;
      const { status } = this.#state;
      // Why a session is over does not change by asking once more.
      if (reasonOf(error) === 'unauthenticated' && status !== 'out') {
        this.#end(status === 'in' ? 'ended' : 'never in');
      }
      throw error;
    }
  }

  #accept(answer: SignInResponse | RefreshSessionResponse, where: Replaced): void {
    const { accessToken, expiresIn, scope, user } = answer;
    if (user === undefined) throw new TypeError('the answer names no user');
    this.#token = accessToken;
    this.#tokenEnd = performance.now() + expiresIn * 1000;
    const replaced = this.#replacedBy(user, where);
    this.#lastUserId = user.id;
    this.#become({ status: 'in', user, scopes: new Set(scope.split(' ')), replaced });
  }

  #replacedBy({ id }: SignedInUser, where: Replaced): Replaced {
    if (id === this.userId && this.#state.status === 'in') return this.#state.replaced;
    return this.#lastUserId === '' || this.#lastUserId === id ? 'nobody' : where;
  }

  #end(why: WhyOut): void {
    this.#era++;
    this.#token = '';
    this.#tokenEnd = 0;
    this.#become({ status: 'out', why });
  }

  #become(state: SessionState): void {
    this.#state = state;
    this.#listeners.notify();
  }
}
