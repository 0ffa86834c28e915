// Verifies the assertions of clients (RFC 7523 §3): those that they sign with their own keys
// (`private_key_jwt`), and the tokens of trusted issuers.
import type { JWTPayload } from 'jose';
import { parseStoredScopes } from '../../api/access/scopes.ts';
import type { Clock } from '../../base/clock.ts';
import { isId } from '../../base/crypto/ids.ts';
import { tokenSettingsOf } from '../../credentials/token-settings.ts';
import { oldRows } from '../../storage/delete-oldest.ts';
import type { RetentionRule } from '../../storage/retention.ts';
import type { AssertingClient, FindAssertingClient } from './asserting-clients.ts';
import {
  type Assertion,
  decodeAssertion,
  findTimeProblem,
  isSignedByOne,
  refuseAssertion,
  selectKeys,
} from './assertion.ts';
import type { VerifyAssertion } from './client-authentication.ts';
import type { UseOnce } from './single-use.ts';

export type ClientAssertionOptions = {
  readonly useOnce: UseOnce;
  readonly findClient: FindAssertingClient;
  /** Returns the client of an assertion of a trusted issuer. */
  readonly verifyFederated: (assertion: Assertion, clientId: string) => Promise<AssertingClient>;
  /** The values of `aud` that name this service. */
  readonly audiences: readonly string[];
  readonly now: Clock;
};

/** An assertion may live this long, in seconds. */
const secondsMax = 300;

/** The clocks of two processes differ by at most this much. */
const skewMaxMs = 300_000;

const jtiMax = 256;

export function createAssertionVerifier(options: ClientAssertionOptions): VerifyAssertion {
  const { useOnce, findClient, verifyFederated, audiences, now } = options;

  async function verifyOwn(assertion: Assertion): Promise<AssertingClient> {
    const { payload } = assertion;
    const { iss: id = '' } = payload;
    if (payload.sub !== id) throw refuseAssertion('The assertion has another subject.', id);
    const problem = problemOf(payload, audiences, now() / 1000);
    if (problem !== undefined) throw refuseAssertion(problem, id);
    const found = await findClient(id);
    if (found === undefined) {
      throw refuseAssertion('The client is disabled or does not exist.', id);
    }
    const usable = selectKeys(assertion, found.keys).filter(
      ({ expireTime }) => expireTime === null || expireTime > now(),
    );
    if (!(await isSignedByOne(assertion, usable))) {
      throw refuseAssertion('No live key of the client signed the assertion.', id);
    }
    await use(id, payload.jti ?? '', payload.exp ?? 0);
    return found;
  }

  async function use(clientId: string, jti: string, exp: number): Promise<void> {
    if (await useOnce([clientId, jti], exp * 1000)) return;
    throw refuseAssertion('The assertion was used before.', clientId);
  }

  return async (text, clientId) => {
    const assertion = decodeAssertion(text);
    const isOwn = isId('cli', String(assertion.payload.iss));
    const { client } = isOwn
      ? await verifyOwn(assertion)
      : await verifyFederated(assertion, clientId);
    const scopes = parseStoredScopes(client.scopes);
    return { clientId: client.id, scopes, tokenSettings: tokenSettingsOf(client) };
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
  if (!named.some((name) => typeof name === 'string' && audiences.includes(name))) {
    return 'The assertion has another audience than this service.';
  }
  if (typeof jti !== 'string' || jti === '' || jti.length > jtiMax) {
    return `The assertion has no jti of 1 to ${jtiMax} characters.`;
  }
  return findTimeProblem(payload, secondsMax, now);
}

export const assertionRetention = (now: Clock): RetentionRule =>
  oldRows({
    table: 'used_assertions',
    key: 'digest',
    time: 'expire_time',
    ranges: () => [{ before: now() - skewMaxMs }],
  });
