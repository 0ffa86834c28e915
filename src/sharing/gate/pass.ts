// The pass: a cookie that says that its bearer has passed a link's gate. Signed, bound to one link
// and one revision of its gate, and short-lived; no row is needed to check it.
import { createSeal } from './seal.ts';

export type Pass = {
  readonly linkId: string;
  readonly gateRevision: number;
  /** The view that the bearer opened. */
  readonly viewId: string;
  /** Seconds since 1970. */
  readonly exp: number;
};

export type Passes = {
  write(pass: Pass): string;
  /** The pass, if we have signed it; whether it still holds is for the gate to say. */
  read(text: string): Pass | undefined;
};

export const passName = 'latchkey_pass';
export const passSecondsMax = 12 * 60 * 60;

export function createPasses(key: Uint8Array): Passes {
  const seal = createSeal(key);
  return {
    write: ({ linkId, gateRevision, viewId, exp }) =>
      seal.write(`${linkId}.${gateRevision}.${viewId}.${exp}`),
    read(text) {
      const [, linkId, gateRevision, viewId, exp] = pattern.exec(seal.read(text) ?? '') ?? [];
      if (linkId === undefined || viewId === undefined) return undefined;
      return { linkId, gateRevision: Number(gateRevision), viewId, exp: Number(exp) };
    },
  };
}

const pattern = /^(lnk_[0-9A-Za-z]{22})\.(\d{1,15})\.(viw_[0-9A-Za-z]{22})\.(\d{1,15})$/;
