// Signs users in and out through any transport, and keeps their cookies as a browser does.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { parseSetCookie } from 'cookie';
import { afterEach, beforeEach } from 'vitest';
import {
  SessionService,
  type SignInRequestSchema,
  type SignInResponse,
} from '../../gen/latchkey/identity/v1/session_pb.js';
import type { Suite } from './app-suite.ts';
import type { Transport, TransportAnswer } from './transports.ts';

export type SignInRequest = MessageInitShape<typeof SignInRequestSchema>;

export class CookieClient {
  readonly #transport: Transport;
  readonly #cookies = new Map<string, string>();
  /** The `Set-Cookie` headers of the last answer. */
  set: string[] = [];
  /** The `Retry-After` of the last answer; 0 if it has none. */
  retryAfter = 0;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  signIn(request: SignInRequest): Promise<TransportAnswer<SignInResponse>> {
    return this.call(SessionService.method.signIn, request);
  }

  /** Signs in and returns the answer; throws if the service refuses. */
  async signedIn(request: SignInRequest): Promise<SignInResponse> {
    const answer = await this.signIn(request);
    if (!answer.ok) throw new Error(`the sign-in failed: ${answer.error.code}`);
    return answer.message;
  }

  refresh() {
    return this.call(SessionService.method.refreshSession, {});
  }

  /** Calls a method with the cookies, and stores the cookies of the answer. */
  call: Transport['call'] = (method, request, credential = {}) => {
    this.set = [];
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return this.#transport.call(method, request, {
      ...(cookie === '' ? {} : { cookie }),
      ...credential,
      onHeaders: (headers) => this.#keep(headers),
    });
  };

  cookie(name: string): string | undefined {
    return this.#cookies.get(name);
  }

  setCookie(name: string, value: string | undefined): void {
    if (value === undefined) this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }

  #keep(headers: Headers): void {
    this.retryAfter = Number(headers.get('retry-after') ?? 0);
    for (const header of headers.getSetCookie()) {
      this.set.push(header);
      const { name, value = '', maxAge } = parseSetCookie(header);
      this.setCookie(name, maxAge === 0 ? undefined : value);
    }
  }
}

/** Each test begins without counted attempts, and leaves the clock running. */
export function forgetAttempts(suite: Suite): void {
  beforeEach(async () => {
    const { db } = suite.app.inside;
    await db.deleteFrom('throttle_counters').execute();
    await db.deleteFrom('familiar_networks').execute();
  });
  afterEach(suite.clock.reset);
}
