// Passwords: argon2id (RFC 9106) with the parameters that OWASP recommends, computed on the thread
// pool. Only a few at a time: tokens are signed on the same pool, and each takes 19 MiB.
import { hash, type Options, verify } from '@node-rs/argon2';
import { fail } from '../../rpc/errors.ts';

export type Passwords = {
  /** The PHC string to be stored. */
  hash(password: string): Promise<string>;
  /** Whether it is the password of the stored string; without one, false after the same time. */
  verify(stored: string | undefined, password: string): Promise<boolean>;
};

// argon2id is the package's default algorithm.
const options: Options = {
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

const runningMax = 2;
const waitingMax = 100;

/** Throws `unavailable` where too many wait already. */
export function createPasswords(): Passwords {
  const turns = createTurns();
  const decoy = hash('', options);
  return {
    hash: (password) => turns(() => hash(normalised(password), options)),
    verify: (stored, password) =>
      turns(async () => {
        const matches = await verify(stored ?? (await decoy), normalised(password));
        return matches && stored !== undefined;
      }),
  };
}

/** The same password however a keyboard composes it (NIST SP 800-63B §5.1.1.2). */
const normalised = (password: string) => password.normalize('NFKC');

/** Runs a few at a time, first come, first served. */
function createTurns() {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < runningMax) running++;
    else if (waiting.length < waitingMax) await new Promise<void>((go) => waiting.push(go));
    else throw fail('unavailable', 'Too many sign-ins are under way.', { retryAfterSeconds: 1 });
    try {
      return await work();
    } finally {
      // Whoever waits takes over the turn.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
