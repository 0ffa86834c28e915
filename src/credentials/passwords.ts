// Hashes passwords with argon2id (RFC 9106) and the parameters recommended by OWASP, on the thread
// pool. Only a few run at a time, because tokens are signed on the same pool and each hash needs 19
// MiB of memory.
import type { Options } from '@node-rs/argon2';
import { fail } from '../base/errors/errors.ts';
import { createFairQueue, type FairQueue, type OwnerPath } from '../base/limits/fair-share.ts';
import { createKeyedQueue } from '../base/limits/keyed-queue.ts';

/**
 * Each kind has a queue: sign-ins of users in known browsers (`known`) and in others (`users`), new
 * passwords of users (`changes`), passwords of links (`links`), and secrets of clients that other
 * authorization servers have hashed (`secrets`). Within a kind, the owners take turns.
 */
type Kind = 'known' | 'users' | 'changes' | 'links' | 'secrets';

export type PasswordQueue = {
  readonly kind: Kind;
  readonly owner: OwnerPath;
  readonly first?: () => Promise<void>;
};

export type Passwords = {
  hash(password: string, queue?: PasswordQueue): Promise<string>;
  /** Without a stored string, returns false after the same time. */
  verify(stored: string | undefined, password: string, queue?: PasswordQueue): Promise<boolean>;
  /** Runs another slow check in its turn. */
  run<T>(queue: PasswordQueue, check: () => Promise<T>): Promise<T>;
};

// argon2id is the package's default algorithm.
const options: Options = {
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** The functions of `@node-rs/argon2`. Tests replace them to control when each hash ends. */
export type PasswordHasher = {
  hash(password: string, options: Options): Promise<string>;
  verify(stored: string, password: string): Promise<boolean>;
};

const argon2: PasswordHasher = {
  hash: async (...words) => (await import('@node-rs/argon2')).hash(...words),
  verify: async (...words) => (await import('@node-rs/argon2')).verify(...words),
};

const runningMax = 2;
const waitingMax = 100;

/** An attempt waits this long for earlier ones of its user in a known browser. */
const knownWaitMsMax = 5_000;

/** Waiting ones included. More would delay other owners. */
const changesMax = 2;

const users: PasswordQueue = { kind: 'users', owner: [] };

export function passwordChangeQueue(callerId: string): PasswordQueue {
  return { kind: 'changes', owner: [callerId] };
}

/** Throws `unavailable` if a queue is full, or `rate_limited` if an owner exceeds its share. */
export function createPasswords(hasher = argon2): Passwords {
  const turns = createTurns();
  let decoy: Promise<string> | undefined;
  return {
    hash: (password, queue = users) =>
      turns(queue, () => hasher.hash(normalised(password), options)),
    verify: (stored, password, queue = users) =>
      turns(queue, async () => {
        // Every first call waits for the decoy, so that its duration does not show whether there is
        // a stored string.
        decoy ??= hasher.hash('', options);
        const unknown = await decoy;
        const matches = await hasher.verify(stored ?? unknown, normalised(password));
        return matches && stored !== undefined;
      }),
    run: turns,
  };
}

/** Keyboards compose the same characters differently (NIST SP 800-63B §5.1.1.2). */
const normalised = (password: string) => password.normalize('NFKC');

/**
 * Runs two passwords at a time. Sign-ins may use both places. Those of known browsers go before all
 * others. Changes, links and secrets share one place. Changes and links alternate; secrets follow
 * when none of them waits, because a check may take ten times as long. They all go before waiting
 * sign-ins of other browsers when that place is free.
 */
function createTurns(): Passwords['run'] {
  type Turn = () => void;
  const waiting = {
    known: createFairQueue<Turn>(waitingMax),
    users: createFairQueue<Turn>(waitingMax),
    changes: createFairQueue<Turn>(waitingMax),
    links: createFairQueue<Turn>(waitingMax),
    secrets: createFairQueue<Turn>(waitingMax),
  } satisfies Record<Kind, FairQueue<Turn>>;
  const running = { users: 0, others: 0 };
  const others: ('changes' | 'links')[] = ['links', 'changes'];
  const changesUnderWay = new Map<string, number>();
  const knownAttempts = createKeyedQueue(knownWaitMsMax, signInRefusal);

  function nextOther(): Turn | undefined {
    for (const kind of others) {
      const turn = waiting[kind].next();
      if (turn === undefined) continue;
      others.sort((a, b) => Number(a === kind) - Number(b === kind));
      return turn;
    }
    return waiting.secrets.next();
  }

  function startNext(): void {
    while (running.users + running.others < runningMax) {
      const known = waiting.known.next();
      const other = known === undefined && running.others === 0 ? nextOther() : undefined;
      const turn = known ?? other ?? waiting.users.next();
      if (turn === undefined) return;
      running[other === undefined ? 'users' : 'others']++;
      turn();
    }
  }

  function enter({ kind, owner }: PasswordQueue): boolean {
    if (kind !== 'changes') return true;
    const key = JSON.stringify(owner);
    const count = changesUnderWay.get(key) ?? 0;
    if (count >= changesMax) return false;
    changesUnderWay.set(key, count + 1);
    return true;
  }

  function leave({ kind, owner }: PasswordQueue): void {
    if (kind !== 'changes') return;
    const key = JSON.stringify(owner);
    const count = (changesUnderWay.get(key) ?? 1) - 1;
    if (count === 0) changesUnderWay.delete(key);
    else changesUnderWay.set(key, count);
  }

  async function take<T>(queue: PasswordQueue, work: () => Promise<T>): Promise<T> {
    const { kind, owner, first } = queue;
    if (!enter(queue)) throw refusals[kind]();
    try {
      await new Promise<void>((go, refuse) => {
        if (waiting[kind].add(owner, go)) startNext();
        else refuse(refusals[kind]());
      });
      try {
        await first?.();
        return await work();
      } finally {
        running[kind === 'known' || kind === 'users' ? 'users' : 'others']--;
        startNext();
      }
    } finally {
      leave(queue);
    }
  }

  return (queue, work) => {
    if (queue.kind !== 'known') return take(queue, work);
    // One after the other for an email address, so that one user cannot occupy both places.
    return knownAttempts.run(queue.owner.at(-1) ?? '', () => take(queue, work));
  };
}

const signInRefusal = () =>
  fail('unavailable', 'Too many sign-ins are in progress.', { retryAfterSeconds: 1 });

const refusals = {
  known: signInRefusal,
  users: signInRefusal,
  changes: () =>
    fail('rate_limited', 'Too many password changes are in progress.', { retryAfterSeconds: 1 }),
  links: () =>
    fail('rate_limited', 'Too many link passwords are being checked.', {
      retryAfterSeconds: 1,
    }),
  secrets: () =>
    fail('rate_limited', 'Too many imported secrets are being checked.', { retryAfterSeconds: 1 }),
} satisfies Record<Kind, () => Error>;
