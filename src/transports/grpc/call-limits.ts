// The time limits of gRPC calls.

export type CallLimits = {
  /** Time limit for the body of a call that is not an upload. */
  readonly bodyMs: number;
  readonly uploadMs: number;
  /** Time limit for the client to read a response, or its next part. */
  readonly unreadMs: number;
  /** Time limit for the client to end its body after the response (RFC 9113 §8.1). */
  readonly trailingBodyMs: number;
};

export const callLimits: CallLimits = {
  bodyMs: 30_000,
  uploadMs: 30 * 60_000,
  unreadMs: 60_000,
  trailingBodyMs: 5_000,
};
