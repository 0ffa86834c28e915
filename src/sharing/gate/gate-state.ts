// The steps of a gate that a visitor has completed. The cookie is signed for the link and for one
// revision of its gate.

export type GateState = {
  readonly knowsPassword: boolean;
  readonly email?: string | undefined;
  /** Whether `email` is verified, and only the agreement is left. */
  readonly isVerified?: boolean;
  /** Whether this browser should remember `email` once it is verified. */
  readonly remembers?: boolean;
  /** Identifies the visitor, to count tries of a code; empty before an address is entered. */
  readonly visitorId: string;
};

/** Long enough to find a mail. */
export const gateStateSeconds = 30 * 60;

export const initialGateState: GateState = { knowsPassword: false, visitorId: '' };
