// A program that reads a shared document for a person.
import type { RouteRequest } from './route.ts';

export type ProgramReader = {
  readonly userId: string;
  readonly email: string;
  /** The client that acts for the user. */
  readonly clientId: string;
  readonly clientName: string;
};

/**
 * Reads the token of a request, which must come from a token exchange for a user. Throws
 * `unauthenticated` or `forbidden`. Call it again while the response is sent: it accepts the same
 * proof and an expired token, but not a revoked one.
 */
export type AuthenticateProgram = (request: RouteRequest) => Promise<ProgramReader>;

/** Whether a request presents a token. A proxy may use other schemes for itself. */
export const presentsToken = (request: RouteRequest): boolean =>
  /^(bearer|dpop)\b/i.test(request.header('authorization') ?? '');
