// The access check of one call. It is repeated while the request arrives: the caller decides how
// long that takes, and may lose its access meanwhile.

import type { Call } from './call.ts';
import type { MethodFacts } from './endpoint.ts';
import type { MethodGuard } from './method-guard.ts';
import { anonymous, type Caller, type MembershipsOf, type Principal } from './principal.ts';

/**
 * The age at which the check is repeated. Together with the time in which a process learns of a
 * revocation (see storage/invalidation.ts), it is well below a second. Most requests arrive sooner
 * and are checked once.
 */
const ageMsMax = 250;

export class AccessCheck implements Caller {
  readonly call: Call;
  readonly #methodGuard: MethodGuard;
  readonly #validAt: number;
  #runTime = 0;
  #principal = anonymous;

  /** `validAt` is the time at which a key or token must not have expired. */
  constructor(methodGuard: MethodGuard, call: Call, validAt: number) {
    this.call = call;
    this.#methodGuard = methodGuard;
    this.#validAt = validAt;
  }

  /** The caller that was authenticated last. */
  get principal(): Principal {
    return this.#principal;
  }

  get method(): MethodFacts {
    return this.#methodGuard.method;
  }

  get membershipsOf(): MembershipsOf {
    return this.#methodGuard.membershipsOf;
  }

  /** Authenticates and authorises the caller, or throws. */
  async run(): Promise<void> {
    const runTime = performance.now();
    this.#principal = await this.#methodGuard.authenticate(this.call, this.#validAt);
    this.#methodGuard.authorise(this);
    this.#runTime = runTime;
  }

  repeatCheck(): Promise<void> {
    return this.run();
  }

  /** Repeats a check that is too old. */
  repeatIfOld(): Promise<void> | undefined {
    return performance.now() - this.#runTime > ageMsMax ? this.run() : undefined;
  }
}
