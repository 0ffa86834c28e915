// Verifies the assertions of clients (RFC 7523 §3): those that they sign with their own keys
// (`private_key_jwt`), and the tokens of trusted issuers.
import type { JWTPayload } from 'jose';
import { parseStoredScopes } from '../../api/access/scopes.ts';
import type { Clock } from '../../base/clock.ts';
import { isForeignClientId, isId } from '../../base/crypto/ids.ts';
import { tokenSettingsOf } from '../../credentials/token-settings.ts';
import type { FindAssertingClient, ProvenClient } from './asserting-clients.ts';
import {
  type Assertion,
  decodeAssertion,
  findSigner,
  findTimeProblem,
  refuseAssertion,
  selectKeys,
} from './assertion.ts';
import type { VerifyAssertion } from './client-authentication.ts';
import type { UseOnce } from './single-use.ts';

export type ClientAssertionOptions = {
  readonly useOnce: UseOnce;
  readonly findClient: FindAssertingClient;
  /** Returns the client of an assertion of a trusted issuer. */
  readonly verifyFederated: (assertion: Assertion, clientId: string) => Promise<ProvenClient>;
  /** The values of `aud` that name this service. */
  readonly audiences: readonly string[];
  /** Called with the id of the key or the federated identity. */
  readonly recordUse: (credentialId: string) => void;
  readonly now: Clock;
};

/** An assertion may live this long, in seconds. */
const secondsMax = 300;

/** The clocks of two processes differ by at most this much. */
export const assertionSkewMsMax = 300_000;

const jtiMax = 256;

export function createAssertionVerifier(options: ClientAssertionOptions): VerifyAssertion {
  const { useOnce, findClient, verifyFederated, audiences, recordUse, now } = options;

  async function verifyOwn(assertion: Assertion): Promise<ProvenClient> {
    const { payload } = assertion;
    const { iss: id = '' } = payload;
    const refuse = (reason: string) => refuseAssertion(reason, id, isForeignClientId(id));
    if (payload.sub !== id) throw refuse('The assertion has another subject.');
    const problem = problemOf(payload, audiences, now() / 1000);
    if (problem !== undefined) throw refuse(problem);
    const found = await findClient(id);
    if (found === undefined) {
      throw refuse('The client is disabled or does not exist.');
    }
    const usable = selectKeys(assertion, found.keys).filter(
      ({ expireTime }) => expireTime === null || expireTime > now(),
    );
    const key = await findSigner(assertion, usable);
    if (key === undefined) {
      throw refuse('No live key of the client signed the assertion.');
    }
    await use(id, payload.jti ?? '', payload.exp ?? 0);
    return { client: found.client, credentialId: key.id };
  }

  /**
   * The `iss` of a trusted issuer can look like an imported client id, so the client must exist and
   * have a key.
   */
  async function isOwn(payload: JWTPayload): Promise<boolean> {
    const { iss = '' } = payload;
    if (isId('cli', iss)) return true;
    return (
      iss === payload.sub &&
      isForeignClientId(iss) &&
      ((await findClient(iss))?.keys.length ?? 0) > 0
    );
  }

  async function use(clientId: string, jti: string, exp: number): Promise<void> {
    if (await useOnce([clientId, jti], exp * 1000)) return;
    throw refuseAssertion('The assertion was used before.', clientId, true);
  }

  return async (text, clientId) => {
    const assertion = decodeAssertion(text);
    const { client, credentialId } = (await isOwn(assertion.payload))
      ? await verifyOwn(assertion)
      : await verifyFederated(assertion, clientId);
    recordUse(credentialId);
    const scopes = parseStoredScopes(client.scopes);
    return { clientId: client.id, credentialId, scopes, tokenSettings: tokenSettingsOf(client) };
  };
}

/** Returns why an assertion is not valid now; undefined if it is. */
function problemOf(
  payload: JWTPayload,
  audiences: readonly string[],
  now: number,
): string | undefined {
  const { aud, jti } = payload;
  const named = Array.isArray(aud) ? aud : [aud];
  if (!named.some((name) => name !== undefined && audiences.includes(name))) {
    return 'The assertion has another audience than this service.';
  }
  if (jti === undefined || jti === '' || jti.length > jtiMax) {
    return `The assertion has no jti of 1 to ${jtiMax} characters.`;
  }
  return findTimeProblem(payload, secondsMax, now);
}
