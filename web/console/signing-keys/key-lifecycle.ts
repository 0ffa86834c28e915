/** What a signing key has been, is and will be, in milliseconds since 1970 and in words. */
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import {
  type SigningKey,
  SigningKeyState,
} from '../../../gen/latchkey/identity/v1/signing_key_pb.js';

const { PENDING, ACTIVE, RETIRED, REMOVED, REVOKED } = SigningKeyState;

/** A key is told from the others by these already. */
export const shortKid = ({ kid }: SigningKey) => kid.slice(0, 8);

export const isPending = ({ state }: SigningKey) => state === PENDING;
export const isActive = ({ state }: SigningKey) => state === ACTIVE;
export const isRetired = ({ state }: SigningKey) => state === RETIRED;
export const isPublished = ({ state }: SigningKey) => [PENDING, ACTIVE, RETIRED].includes(state);

export const isReady = (key: SigningKey, now: number) => (msOf(key.readyTime) ?? now) <= now;

type StateLabel = { readonly text: string; readonly color: string };

const stateLabels: Record<SigningKeyState, StateLabel> = {
  [SigningKeyState.UNSPECIFIED]: { text: 'Unknown', color: 'gray' },
  [PENDING]: { text: 'Waits', color: 'orange' },
  [ACTIVE]: { text: 'Signs', color: 'accent' },
  [RETIRED]: { text: 'Retired', color: 'gray' },
  [REMOVED]: { text: 'Removed', color: 'gray' },
  [REVOKED]: { text: 'Revoked', color: 'red' },
};

export const stateLabel = ({ state }: SigningKey): StateLabel => stateLabels[state];

export type Moment = { readonly label: string; readonly time: Timestamp };

/** What has happened to a key, and what is going to. */
export function momentsOf(key: SigningKey): Moment[] {
  const { createTime, readyTime, activateTime, retireTime, removeTime, revokeTime } = key;
  const moments: readonly (readonly [string, Timestamp | undefined])[] = [
    ['Published', createTime],
    ['May sign from', isPending(key) ? readyTime : undefined],
    ['Signs from', activateTime],
    ['Retired', retireTime],
    [isRetired(key) ? 'Published until' : 'Removed', removeTime],
    ['Revoked', revokeTime],
  ];
  return moments.flatMap(([label, time]) => (time === undefined ? [] : [{ label, time }]));
}

export type KeySpan = {
  readonly kind: 'waits' | 'signs' | 'leaves';
  readonly from: number;
  readonly to: number;
};

/** Of what a key's line consists, up to now or to when it is going to leave. */
export function spansOf(key: SigningKey, now: number): KeySpan[] {
  const created = msOf(key.createTime) ?? now;
  const activated = msOf(key.activateTime);
  const retired = msOf(key.retireTime);
  const end = msOf(key.revokeTime) ?? msOf(key.removeTime) ?? now;
  const spans: KeySpan[] = [{ kind: 'waits', from: created, to: activated ?? end }];
  if (activated !== undefined) spans.push({ kind: 'signs', from: activated, to: retired ?? end });
  if (retired !== undefined) spans.push({ kind: 'leaves', from: retired, to: end });
  return spans;
}

/** Every moment at which a key's line changes. */
export function timesOf(key: SigningKey, now: number): number[] {
  const ready = isPending(key) ? [msOf(key.readyTime) ?? now] : [];
  return [...ready, ...spansOf(key, now).flatMap(({ from, to }) => [from, to])];
}

export function msOf(time: Timestamp | undefined): number | undefined {
  return time === undefined ? undefined : timestampMs(time);
}
