// The life of a signing key, as tables: which states there are, what leads from one to another, and
// when.
import { fail } from '../../errors/errors.ts';
import type { SigningKeyRow } from '../../storage/schema.ts';

export type KeyState = SigningKeyRow['state'];

type Facts = {
  /** Whether the key is in the JWKS and verifies tokens. */
  readonly isPublished: boolean;
  /** Whether the key may still sign; else its private part is deleted. */
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

/**
 * Where an event leads; a key that is there already stays as it is. Time alone removes a key (see
 * `stateAt`): the event writes it down.
 */
const transitions: Record<KeyEvent, Partial<Record<KeyState, KeyState>>> = {
  activate: { pending: 'active', active: 'active' },
  retire: { active: 'retired' },
  remove: { removed: 'removed' },
  revoke: { pending: 'revoked', active: 'revoked', retired: 'revoked', revoked: 'revoked' },
};

/** Why an event leads nowhere from a state. */
const reasons: Record<KeyState, string> = {
  pending: 'The key is pending.',
  active: 'The key is active.',
  retired: 'The key is retired and cannot be activated again.',
  removed: 'The key is removed: verifiers no longer trust it.',
  revoked: 'The key is revoked.',
};

/** For how long a verifier may keep the JWKS: its `max-age`. */
export const jwksMaxAgeSeconds = 300;

/** Within how long every process publishes what one of them has changed. */
const publishSeconds = 1;

/** For how long a process may sign with a key after it was retired elsewhere, and clocks differ. */
const lateSignatureSeconds = 10;

/** How long before it is to sign a rotation publishes a key: for those who cache for too long. */
const leadMs = 3_600_000;

/** What there is to know of a key, beside its parts. */
export type KeyFacts = Pick<
  SigningKeyRow,
  'kid' | 'state' | 'create_time' | 'activate_time' | 'remove_time'
>;

/** From when on nobody has a JWKS without the key. */
export function readyTime({ create_time }: Pick<KeyFacts, 'create_time'>): number {
  return create_time + (jwksMaxAgeSeconds + publishSeconds) * 1000;
}

/** The state that holds at a time: time alone removes a retired key. */
export function stateAt({ state, remove_time }: KeyFacts, now: number): KeyState {
  return state === 'retired' && remove_time !== null && remove_time <= now ? 'removed' : state;
}

export const publishedStates = statesWith('isPublished');
export const privateStates = statesWith('keepsPrivatePart');

function statesWith(fact: keyof Facts): readonly KeyState[] {
  return (Object.keys(facts) as KeyState[]).filter((state) => facts[state][fact]);
}

export type KeyChange = Partial<Omit<SigningKeyRow, 'kid' | 'public_x' | 'create_time'>>;

/** What an event changes of a key. Throws `conflict` where the key's state forbids it. */
export function changeOf(event: KeyEvent, row: SigningKeyRow, now: number): KeyChange {
  const from = stateAt(row, now);
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

/** Something that the service does by itself. */
export type KeyStep =
  | { readonly kind: 'remove'; readonly kid: string }
  | { readonly kind: 'create' }
  | { readonly kind: 'activate'; readonly kid: string }
  /** Creates a key that signs at once, though no verifier knows it. */
  | { readonly kind: 'replace' };

/** The next step of the rotation that is due, if one is, given the keys that are published. */
export function dueStep(
  keys: readonly KeyFacts[],
  now: number,
  periodMs: number,
): KeyStep | undefined {
  const gone = keys.find((key) => key.state === 'retired' && stateAt(key, now) === 'removed');
  if (gone !== undefined) return { kind: 'remove', kid: gone.kid };
  const active = activeOf(keys);
  if (active === undefined) return successionStep(keys, now);
  const dueTime = (active.activate_time ?? active.create_time) + periodMs;
  const next = oldestPending(keys);
  if (next === undefined) return now >= dueTime - leadMs ? { kind: 'create' } : undefined;
  const isDue = now >= Math.max(dueTime, readyTime(next));
  return isDue ? { kind: 'activate', kid: next.kid } : undefined;
}

/** What has to be done where no key signs: the service goes on issuing in any case. */
export function successionStep(keys: readonly KeyFacts[], now: number): KeyStep | undefined {
  if (activeOf(keys) !== undefined) return undefined;
  const next = oldestPending(keys);
  const isReady = next !== undefined && readyTime(next) <= now;
  return isReady ? { kind: 'activate', kid: next.kid } : { kind: 'replace' };
}

export function activeOf<K extends KeyFacts>(keys: readonly K[]): K | undefined {
  return keys.find(({ state }) => state === 'active');
}

function oldestPending(keys: readonly KeyFacts[]): KeyFacts | undefined {
  const pending = keys.filter(({ state }) => state === 'pending');
  return pending.toSorted((a, b) => a.create_time - b.create_time)[0];
}
