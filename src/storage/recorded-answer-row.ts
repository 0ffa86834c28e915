/** The answer of a call that had an Idempotency-Key. */
export type RecordedAnswerRow = {
  /** A digest of the caller and the Idempotency-Key. */
  key: string;
  /** The caller's type and id. */
  caller: string;
  /** The answer, encrypted under keys derived from the master key and the Idempotency-Key. */
  answer: string;
  master_key_id: string;
  create_time: number;
};
