/** The states and times of a signing key, in milliseconds since 1970 and as texts. */
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import {
  type SigningKey,
  SigningKeyState,
} from '../../../gen/latchkey/identity/v1/signing_key_pb.js';

const { PENDING, ACTIVE, RETIRED, REMOVED, REVOKED } = SigningKeyState;

/** The first characters of the key ID, which are enough for people. */
export const shortKid = ({ kid }: SigningKey) => kid.slice(0, 8);

export const isPending = ({ state }: SigningKey) => state === PENDING;
export const isActive = ({ state }: SigningKey) => state === ACTIVE;
export const isRetired = ({ state }: SigningKey) => state === RETIRED;
export const isPublished = ({ state }: SigningKey) => [PENDING, ACTIVE, RETIRED].includes(state);

export const isReady = (key: SigningKey, now: number) =>
  (timestampMsOf(key.readyTime) ?? now) <= now;

type StateLabel = { readonly text: string; readonly color: string };

const stateLabels: Record<SigningKeyState, StateLabel> = {
  [SigningKeyState.UNSPECIFIED]: { text: 'Unknown', color: 'gray' },
  [PENDING]: { text: 'Pending', color: 'orange' },
  [ACTIVE]: { text: 'Active', color: 'accent' },
  [RETIRED]: { text: 'Retired', color: 'gray' },
  [REMOVED]: { text: 'Removed', color: 'gray' },
  [REVOKED]: { text: 'Revoked', color: 'red' },
};

export const stateLabel = ({ state }: SigningKey): StateLabel => stateLabels[state];

export type KeyLifecycleEvent = { readonly label: string; readonly time: Timestamp };

/** Past and planned events of a key. */
export function keyEventsOf(key: SigningKey): KeyLifecycleEvent[] {
  const { createTime, readyTime, activateTime, retireTime, removeTime, revokeTime } = key;
  const moments: readonly (readonly [string, Timestamp | undefined])[] = [
    ['Published', createTime],
    ['Ready', isPending(key) ? readyTime : undefined],
    ['Activated', activateTime],
    ['Retired', retireTime],
    [isRetired(key) ? 'Published until' : 'Removed', removeTime],
    ['Revoked', revokeTime],
  ];
  return moments.flatMap(([label, time]) => (time === undefined ? [] : [{ label, time }]));
}

export type KeySpan = {
  readonly kind: 'pending' | 'active' | 'retired';
  readonly from: number;
  readonly to: number;
};

/** The bars of a key on the timeline, up to now or to its removal. */
export function keySpansOf(key: SigningKey, now: number): KeySpan[] {
  const created = timestampMsOf(key.createTime) ?? now;
  const activated = timestampMsOf(key.activateTime);
  const retired = timestampMsOf(key.retireTime);
  const end = timestampMsOf(key.revokeTime) ?? timestampMsOf(key.removeTime) ?? now;
  const spans: KeySpan[] = [{ kind: 'pending', from: created, to: activated ?? end }];
  if (activated !== undefined) spans.push({ kind: 'active', from: activated, to: retired ?? end });
  if (retired !== undefined) spans.push({ kind: 'retired', from: retired, to: end });
  return spans;
}

/** All times at which the state of a key changes. */
export function stateChangeTimesOf(key: SigningKey, now: number): number[] {
  const ready = isPending(key) ? [timestampMsOf(key.readyTime) ?? now] : [];
  return [...ready, ...keySpansOf(key, now).flatMap(({ from, to }) => [from, to])];
}

export function timestampMsOf(time: Timestamp | undefined): number | undefined {
  return time === undefined ? undefined : timestampMs(time);
}
