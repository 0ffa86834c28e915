// The lifecycle of a signing key, as tables: its states, the transitions between them, and their
// times.
import { fail } from '../../base/errors/errors.ts';
import type { SigningAlgorithm, SigningKeyRow } from '../../storage/schema/schema.ts';
import { signingAlgorithms } from './algorithms.ts';

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
  'kid' | 'alg' | 'state' | 'create_time' | 'activate_time' | 'remove_time'
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

type KeyChange = Partial<
  Omit<SigningKeyRow, 'kid' | 'alg' | 'public_x' | 'public_jwk' | 'create_time'>
>;

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
  | { readonly kind: 'create'; readonly alg: SigningAlgorithm }
  | { readonly kind: 'activate'; readonly kid: string }
  /** Creates a key and activates it at once, before any verifier has it. */
  | { readonly kind: 'replace'; readonly alg: SigningAlgorithm };

export function dueStep(
  keys: readonly KeyFacts[],
  now: number,
  periodMs: number,
): KeyStep | undefined {
  const gone = keys.find((key) => key.state === 'retired' && keyStateAt(key, now) === 'removed');
  if (gone !== undefined) return { kind: 'remove', kid: gone.kid };
  for (const alg of signingAlgorithms) {
    const step = dueStepOf(alg, keys, now, periodMs);
    if (step !== undefined) return step;
  }
  return undefined;
}

function dueStepOf(
  alg: SigningAlgorithm,
  keys: readonly KeyFacts[],
  now: number,
  periodMs: number,
): KeyStep | undefined {
  const active = findActiveKey(keys, alg);
  const next = oldestPending(keys, alg);
  if (active === undefined) {
    // An algorithm without a key is not used. Its first key signs when verifiers know it.
    const isFirst = alg !== 'EdDSA' && (next === undefined || now < readyTime(next));
    return isFirst ? undefined : successionStep(keys, alg, now);
  }
  const { publishTime, rotationTime } = rotationTimes(active, next, periodMs);
  if (next === undefined) return now >= publishTime ? { kind: 'create', alg } : undefined;
  return now >= rotationTime ? { kind: 'activate', kid: next.kid } : undefined;
}

function rotationTimes(active: KeyFacts, next: KeyFacts | undefined, periodMs: number) {
  const activateTime = active.activate_time ?? active.create_time;
  const dueTime = activateTime + periodMs;
  return {
    activateTime,
    publishTime: dueTime - leadMs,
    rotationTime: next === undefined ? dueTime : Math.max(dueTime, readyTime(next)),
  };
}

/** The service looks for due steps at its start and then every minute. A late step has failed. */
export const stepLateMs = 10 * 60_000;

export type ScheduledKey = {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly activateTime: number;
  readonly rotationTime: number;
  /** Whether the next key is missing although it should be published by now. */
  readonly isNextMissing: boolean;
};

/** Returns the active key of each algorithm that has one, and when the rotation replaces it. */
export function scheduleOf(
  keys: readonly KeyFacts[],
  now: number,
  periodMs: number,
): ScheduledKey[] {
  return signingAlgorithms.flatMap((alg) => {
    const active = findActiveKey(keys, alg);
    if (active === undefined) return [];
    const next = oldestPending(keys, alg);
    const { activateTime, publishTime, rotationTime } = rotationTimes(active, next, periodMs);
    const isNextMissing = next === undefined && now >= publishTime;
    return [{ kid: active.kid, alg, activateTime, rotationTime, isNextMissing }];
  });
}

/** Issuing must continue in any case. */
export function successionStep(
  keys: readonly KeyFacts[],
  alg: SigningAlgorithm,
  now: number,
): KeyStep | undefined {
  if (findActiveKey(keys, alg) !== undefined) return undefined;
  const next = oldestPending(keys, alg);
  const isReady = next !== undefined && readyTime(next) <= now;
  return isReady ? { kind: 'activate', kid: next.kid } : { kind: 'replace', alg };
}

/** Returns whether a key of an algorithm signs or will sign. */
export function hasSuccession(keys: readonly KeyFacts[], alg: SigningAlgorithm): boolean {
  return keys.some(({ alg: own, state }) => own === alg && facts[state].keepsPrivatePart);
}

/** Returns the seconds until the oldest pending key of an algorithm is ready, at least 1. */
export function secondsUntilReady(
  keys: readonly KeyFacts[],
  alg: SigningAlgorithm,
  now: number,
): number {
  const next = oldestPending(keys, alg);
  return next === undefined ? 1 : Math.max(1, Math.ceil((readyTime(next) - now) / 1000));
}

export function findActiveKey<K extends KeyFacts>(
  keys: readonly K[],
  alg: SigningAlgorithm,
): K | undefined {
  return keys.find((key) => key.alg === alg && key.state === 'active');
}

function oldestPending(keys: readonly KeyFacts[], alg: SigningAlgorithm): KeyFacts | undefined {
  const pending = keys.filter((key) => key.alg === alg && key.state === 'pending');
  return pending.toSorted((a, b) => a.create_time - b.create_time)[0];
}
