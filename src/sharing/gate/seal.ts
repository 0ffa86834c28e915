// Text that we alone can have written: what a cookie of the gate says, with its signature.
import { createHmac, timingSafeEqual } from 'node:crypto';

export type Seal = {
  write(body: string): string;
  /** The body, if we have signed it. */
  read(text: string | undefined): string | undefined;
};

/** `key`: 32 bytes, for one kind of text alone. */
export function createSeal(key: Uint8Array): Seal {
  const sign = (body: string) => createHmac('sha256', key).update(body).digest('base64url');
  return {
    write: (body) => `${body}.${sign(body)}`,
    read(text) {
      const [, body, signature = ''] = pattern.exec(text ?? '') ?? [];
      if (body === undefined) return undefined;
      return timingSafeEqual(Buffer.from(sign(body)), Buffer.from(signature)) ? body : undefined;
    },
  };
}

const pattern = /^([\w.-]{1,1000})\.([\w-]{43})$/;
