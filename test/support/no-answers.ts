import type { RecordedAnswers } from '../../src/api/idempotency/claim.ts';

/** For tests of the guard whose calls have no Idempotency-Key. */
export const noAnswers: RecordedAnswers = {
  has: async () => false,
  find: async () => undefined,
  record: async () => {},
  withdraw: async () => {},
};
