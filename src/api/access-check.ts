// The access check of one call. It is repeated while the request arrives: the caller decides how
// long that takes, and may lose access in the meantime.

import type { Call } from './call.ts';
import type { MethodFacts } from './endpoint.ts';
import {
  anonymous,
  type Caller,
  type IsWorkspaceDeleted,
  type MembershipsOf,
  type Principal,
} from './principal.ts';

/** With the time in which a process learns of a revocation, it stays below a second. */
const ageMsMax = 250;

export type AccessRules = {
  readonly method: MethodFacts;
  readonly membershipsOf: MembershipsOf;
  readonly isWorkspaceDeleted: IsWorkspaceDeleted;
  authenticate(call: Call, validAt: number): Principal | Promise<Principal>;
  authorise(caller: Caller): void;
};

export class AccessCheck implements Caller {
  readonly call: Call;
  readonly #rules: AccessRules;
  readonly #validAt: number;
  #runTime = 0;
  #principal = anonymous;

  /** `validAt` is the time at which a key or token must not have expired. */
  constructor(rules: AccessRules, call: Call, validAt: number) {
    this.call = call;
    this.#rules = rules;
    this.#validAt = validAt;
  }

  get principal(): Principal {
    return this.#principal;
  }

  get method(): MethodFacts {
    return this.#rules.method;
  }

  get membershipsOf(): MembershipsOf {
    return this.#rules.membershipsOf;
  }

  get isWorkspaceDeleted(): IsWorkspaceDeleted {
    return this.#rules.isWorkspaceDeleted;
  }

  async run(): Promise<void> {
    const runTime = performance.now();
    this.#principal = await this.#rules.authenticate(this.call, this.#validAt);
    this.#rules.authorise(this);
    this.#runTime = runTime;
  }

  repeatCheck(): Promise<void> {
    return this.run();
  }

  repeatIfOld(): Promise<void> | undefined {
    return performance.now() - this.#runTime > ageMsMax ? this.run() : undefined;
  }
}
