// Passwords: argon2id (RFC 9106) with the parameters that OWASP recommends, computed on the thread
// pool. Only a few at a time: tokens are signed on the same pool, and each takes 19 MiB.
import { hash, type Options, verify } from '@node-rs/argon2';
import { fail } from '../../rpc/errors.ts';
import { createFairQueue, type FairQueue, type OwnerPath } from '../../rpc/fair-share.ts';

/**
 * Who a password is computed for: `users` who sign in or change theirs, or the `links` of a
 * workspace. Neither kind waits for the other; within a kind, the owners take turns.
 */
export type PasswordQueue = {
  readonly kind: 'users' | 'links';
  readonly owner: OwnerPath;
  /** Runs when it is the password's turn, before the password is computed, and may refuse it. */
  readonly first?: () => Promise<void>;
};

export type Passwords = {
  /** The PHC string to be stored. */
  hash(password: string, queue?: PasswordQueue): Promise<string>;
  /** Whether it is the password of the stored string; without one, false after the same time. */
  verify(stored: string | undefined, password: string, queue?: PasswordQueue): Promise<boolean>;
};

// argon2id is the package's default algorithm.
const options: Options = {
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

const runningMax = 2;
/** Of each kind. */
const waitingMax = 100;

const users: PasswordQueue = { kind: 'users', owner: [] };

/** Throws `unavailable` or, where an owner has used up its share, `rate_limited`. */
export function createPasswords(): Passwords {
  const turns = createTurns();
  const decoy = hash('', options);
  return {
    hash: (password, queue = users) => turns(queue, () => hash(normalised(password), options)),
    verify: (stored, password, queue = users) =>
      turns(queue, async () => {
        const matches = await verify(stored ?? (await decoy), normalised(password));
        return matches && stored !== undefined;
      }),
  };
}

/** The same password however a keyboard composes it (NIST SP 800-63B §5.1.1.2). */
const normalised = (password: string) => password.normalize('NFKC');

/** Runs a few at a time: users may have both turns, links one, which is theirs while any wait. */
function createTurns() {
  type Turn = () => void;
  const waiting = {
    users: createFairQueue<Turn>(waitingMax),
    links: createFairQueue<Turn>(waitingMax),
  } satisfies Record<PasswordQueue['kind'], FairQueue<Turn>>;
  const running = { users: 0, links: 0 };

  function startNext(): void {
    while (running.users + running.links < runningMax) {
      const link = running.links === 0 ? waiting.links.next() : undefined;
      const turn = link ?? waiting.users.next();
      if (turn === undefined) return;
      running[link === undefined ? 'users' : 'links']++;
      turn();
    }
  }

  return async <T>({ kind, owner, first }: PasswordQueue, work: () => Promise<T>): Promise<T> => {
    await new Promise<void>((go, refuse) => {
      if (waiting[kind].add(owner, go)) startNext();
      else refuse(refusals[kind]());
    });
    try {
      await first?.();
      return await work();
    } finally {
      running[kind]--;
      startNext();
    }
  };
}

const refusals = {
  users: () => fail('unavailable', 'Too many sign-ins are under way.', { retryAfterSeconds: 1 }),
  links: () =>
    fail('rate_limited', 'Too many passwords of links are being checked.', {
      retryAfterSeconds: 1,
    }),
} satisfies Record<PasswordQueue['kind'], () => Error>;
