// Signs values that a browser stores, such as the content of a cookie.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../clock.ts';

/** Signs JSON values with HMAC-SHA-256. */
export type SignedValues<T> = {
  /**
   * Returns the value with its expiry and signature. The signature also covers `context`, which the
   * result does not contain: the value is valid only for the same context.
   */
  sign(value: T, lifetimeSeconds: number, context: string): string;
  /** Returns the value, or undefined if the text is expired or not signed for `context`. */
  verify(text: string | undefined, context: string): T | undefined;
};

export type SignedValueOptions = {
  /** 32 bytes, used for one kind of value only. */
  readonly key: Uint8Array;
  readonly now: Clock;
};

/** The body and the signature, both in base64url. */
const pattern = /^([\w-]{1,1500})\.([\w-]{43})$/;

export function createSignedValues<T>({ key, now }: SignedValueOptions): SignedValues<T> {
  const signatureOf = (body: string, context: string) =>
    createHmac('sha256', key).update(`${body}.${context}`).digest('base64url');
  return {
    sign(value, lifetimeSeconds, context) {
      const expireTime = now() + lifetimeSeconds * 1000;
      const body = Buffer.from(JSON.stringify({ expireTime, value })).toString('base64url');
      return `${body}.${signatureOf(body, context)}`;
    },
    verify(text, context) {
      const [, body, signature = ''] = pattern.exec(text ?? '') ?? [];
      if (body === undefined) return undefined;
      const expected = Buffer.from(signatureOf(body, context));
      if (!timingSafeEqual(expected, Buffer.from(signature))) return undefined;
      // The signature proves that `sign` created the text.
      const signed: { expireTime: number; value: T } = JSON.parse(
        Buffer.from(body, 'base64url').toString(),
      );
      return now() < signed.expireTime ? signed.value : undefined;
    },
  };
}
