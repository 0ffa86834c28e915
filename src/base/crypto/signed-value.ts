// Signs values that a browser stores, such as the content of a cookie.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { DerivedKeys } from './master-key.ts';

export type SignedValues<T> = {
  /** The signature also covers `context`, which the result does not contain. */
  sign(value: T, lifetimeSeconds: number, context: string): string;
  verify(text: string | undefined, context: string): T | undefined;
};

export type SignedValueOptions = {
  /** Used for one kind of value only. The first key signs; all of them verify. */
  readonly keys: DerivedKeys;
  readonly now: Clock;
};

const pattern = /^([\w-]{1,1500})\.([\w-]{43})$/;

export function createSignedValues<T>({ keys, now }: SignedValueOptions): SignedValues<T> {
  const signatureOf = (key: Uint8Array, body: string, context: string) =>
    createHmac('sha256', key).update(`${body}.${context}`).digest('base64url');
  return {
    sign(value, lifetimeSeconds, context) {
      const expireTime = now() + lifetimeSeconds * 1000;
      const body = Buffer.from(JSON.stringify({ expireTime, value })).toString('base64url');
      return `${body}.${signatureOf(keys[0], body, context)}`;
    },
    verify(text, context) {
      const [, body, signature = ''] = pattern.exec(text ?? '') ?? [];
      if (body === undefined) return undefined;
      const given = Buffer.from(signature);
      const isSigned = keys.some((key) =>
        timingSafeEqual(Buffer.from(signatureOf(key, body, context)), given),
      );
      if (!isSigned) return undefined;
      // The signature proves that `sign` created the text.
      const signed: { expireTime: number; value: T } = JSON.parse(
        Buffer.from(body, 'base64url').toString(),
      );
      return now() < signed.expireTime ? signed.value : undefined;
    },
  };
}
