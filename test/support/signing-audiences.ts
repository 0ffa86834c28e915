// Audiences whose tokens are signed with each algorithm.
import { AudienceService } from '../../gen/latchkey/identity/v1/audience_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import {
  SigningKeyService,
  SigningKeyState,
} from '../../gen/latchkey/identity/v1/signing_key_pb.js';
import type { App } from '../../src/boot/app.ts';
import type { SigningAlgorithm } from '../../src/storage/schema/schema.ts';
import { managerCredential, messageOf } from './manager-calls.ts';
import { addClient } from './owner-rows.ts';
import type { Transport } from './transports.ts';
import { expectWithinOneSecond } from './within-one-second.ts';

export const algorithms = ['EdDSA', 'ES256', 'RS256'] as const satisfies SigningAlgorithm[];

const scopes = 'audiences:read audiences:write signing_keys:read signing_keys:write tokens:read';

export const keyManagerCredential = (app: App) => managerCredential(app, scopes);

/** Lists the keys of an algorithm, newest first. */
export async function keysOf(app: App, transport: Transport, alg: SigningAlgorithm) {
  const { listSigningKeys } = SigningKeyService.method;
  const credential = await keyManagerCredential(app);
  const listed = await transport.call(listSigningKeys, { pageSize: 200 }, credential);
  return messageOf(listed).signingKeys.filter((key) => key.alg === alg);
}

/** Activates the first key of an algorithm without waiting for verifiers. */
export async function forceFirstKey(app: App, transport: Transport, alg: SigningAlgorithm) {
  const keys = await keysOf(app, transport, alg);
  if (keys.some(({ state }) => state === SigningKeyState.ACTIVE)) return;
  const { kid } = keys.find(({ state }) => state === SigningKeyState.PENDING) ?? { kid: '' };
  const { activateSigningKey } = SigningKeyService.method;
  const credential = await keyManagerCredential(app);
  messageOf(await transport.call(activateSigningKey, { kid, force: true }, credential));
}

export type SigningAudience = {
  readonly id: string;
  readonly identifier: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Asks for a token of the audience, with the scope `payments:read`. */
  ask(): ReturnType<typeof askFor>;
  issue(): Promise<string>;
};

const scope = 'payments:read';
let count = 0;

function askFor(transport: Transport, clientId: string, clientSecret: string) {
  const { issueToken } = IssuanceService.method;
  return transport.call(issueToken, { clientId, clientSecret, scope });
}

/** Adds an audience with a client. Its tokens can be signed unless the key `isPending`. */
export async function addSigningAudience(
  app: App,
  transport: Transport,
  signingAlg: SigningAlgorithm,
  { isPending = false } = {},
): Promise<SigningAudience> {
  const identifier = `https://${signingAlg.toLowerCase()}-${count++}.example`;
  const { createAudience } = AudienceService.method;
  const request = { identifier, name: signingAlg, signingAlg };
  const credential = await keyManagerCredential(app);
  const { audience } = messageOf(await transport.call(createAudience, request, credential));
  const id = audience?.id ?? '';
  if (!isPending) await forceFirstKey(app, transport, signingAlg);
  const client = await addClient(app.inside.db, scope, { audienceIds: [id] });
  const [clientId, clientSecret] = [client.ownerId, client.text];
  const ask = () => askFor(transport, clientId, clientSecret);
  // The client was added as if by another process.
  if (!isPending) await expectWithinOneSecond(app.inside.db, async () => (await ask()).ok, true);
  return {
    ...{ id, identifier, clientId, clientSecret, ask },
    issue: async () => messageOf(await ask()).accessToken,
  };
}
