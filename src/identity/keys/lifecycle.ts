// The lifecycle of a signing key, as tables: its states, the transitions between them, and their
// times.
import { fail } from '../../base/errors/errors.ts';
import type { SigningKeyRow } from '../../storage/schema.ts';

export type KeyState = SigningKeyRow['state'];

type Facts = {
  /** Whether the JWKS contains the key and the service accepts its tokens. */
  readonly isPublished: boolean;
  readonly keepsPrivatePart: boolean;
};

const facts: Record<KeyState, Facts> = {
  pending: { isPublished: true, keepsPrivatePart: true },
  active: { isPublished: true, keepsPrivatePart: true },
  retired: { isPublished: true, keepsPrivatePart: false },
  removed: { isPublished: false, keepsPrivatePart: false },
  revoked: { isPublished: false, keepsPrivatePart: false },
};

export type KeyEvent = 'activate' | 'retire' | 'remove' | 'revoke';

/** A key in that state does not change. `remove` stores the state that time causes. */
const transitions: Record<KeyEvent, Partial<Record<KeyState, KeyState>>> = {
  activate: { pending: 'active', active: 'active' },
  retire: { active: 'retired' },
  remove: { removed: 'removed' },
  revoke: { pending: 'revoked', active: 'revoked', retired: 'revoked', revoked: 'revoked' },
};

const reasons: Record<KeyState, string> = {
  pending: 'The key is pending.',
  active: 'The key is active.',
  retired: 'The key is retired and cannot be activated again.',
  removed: 'The key is removed: verifiers no longer trust it.',
  revoked: 'The key is revoked.',
};

/** The `max-age` of the JWKS: how long a verifier may cache it. */
export const jwksMaxAgeSeconds = 300;

/** The maximum delay until every process publishes a change made by one of them. */
const publishSeconds = 1;

/** How long a process may sign with a key that another has retired, clocks included. */
const lateSignatureSeconds = 10;

/** A key is published this long before it signs, for verifiers that cache beyond `max-age`. */
const leadMs = 3_600_000;

export type KeyFacts = Pick<
  SigningKeyRow,
  'kid' | 'state' | 'create_time' | 'activate_time' | 'remove_time'
>;

export function readyTime({ create_time }: Pick<KeyFacts, 'create_time'>): number {
  return create_time + (jwksMaxAgeSeconds + publishSeconds) * 1000;
}

/** Returns the state at a time. A retired key is removed at its `remove_time`, without an event. */
export function keyStateAt({ state, remove_time }: KeyFacts, now: number): KeyState {
  return state === 'retired' && remove_time !== null && remove_time <= now ? 'removed' : state;
}

export const publishedStates = statesWith('isPublished');
export const statesWithPrivateKey = statesWith('keepsPrivatePart');

function statesWith(fact: keyof Facts): readonly KeyState[] {
  return (Object.keys(facts) as KeyState[]).filter((state) => facts[state][fact]);
}

export type KeyChange = Partial<Omit<SigningKeyRow, 'kid' | 'public_x' | 'create_time'>>;

/** Throws `conflict` if the key's state forbids the event. */
export function keyChangeOf(event: KeyEvent, row: SigningKeyRow, now: number): KeyChange {
  const from = keyStateAt(row, now);
  const state = transitions[event][from];
  if (state === undefined) throw fail('conflict', reasons[from]);
  if (state === row.state) return {};
  const wiped = facts[state].keepsPrivatePart ? {} : { private_ciphertext: '', master_key_id: '' };
  return { state, ...wiped, ...timesOf(event, row, now) };
}

function timesOf(event: KeyEvent, row: SigningKeyRow, now: number): KeyChange {
  switch (event) {
    case 'activate':
      return { activate_time: now };
    case 'retire': {
      const seconds = row.token_seconds_max + lateSignatureSeconds;
      return { retire_time: now, remove_time: now + seconds * 1000 };
    }
    case 'remove':
      return {};
    case 'revoke':
      return { revoke_time: now, remove_time: null };
  }
}

export type KeyStep =
  | { readonly kind: 'remove'; readonly kid: string }
  | { readonly kind: 'create' }
  | { readonly kind: 'activate'; readonly kid: string }
  /** Creates a key and activates it at once, before any verifier has it. */
  | { readonly kind: 'replace' };

export function dueStep(
  keys: readonly KeyFacts[],
  now: number,
  periodMs: number,
): KeyStep | undefined {
  const gone = keys.find((key) => key.state === 'retired' && keyStateAt(key, now) === 'removed');
  if (gone !== undefined) return { kind: 'remove', kid: gone.kid };
  const active = findActiveKey(keys);
  if (active === undefined) return successionStep(keys, now);
  const dueTime = (active.activate_time ?? active.create_time) + periodMs;
  const next = oldestPending(keys);
  if (next === undefined) return now >= dueTime - leadMs ? { kind: 'create' } : undefined;
  const isDue = now >= Math.max(dueTime, readyTime(next));
  return isDue ? { kind: 'activate', kid: next.kid } : undefined;
}

/** Issuing must continue in any case. */
export function successionStep(keys: readonly KeyFacts[], now: number): KeyStep | undefined {
  if (findActiveKey(keys) !== undefined) return undefined;
  const next = oldestPending(keys);
  const isReady = next !== undefined && readyTime(next) <= now;
  return isReady ? { kind: 'activate', kid: next.kid } : { kind: 'replace' };
}

export function findActiveKey<K extends KeyFacts>(keys: readonly K[]): K | undefined {
  return keys.find(({ state }) => state === 'active');
}

function oldestPending(keys: readonly KeyFacts[]): KeyFacts | undefined {
  const pending = keys.filter(({ state }) => state === 'pending');
  return pending.toSorted((a, b) => a.create_time - b.create_time)[0];
}
