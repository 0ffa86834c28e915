// Two processes on one database: the second rejects within a second what the first has revoked.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { CredentialState } from '../../gen/latchkey/identity/v1/credential_pb.js';
import { CustomerService } from '../../gen/latchkey/identity/v1/customer_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { openDatabase } from '../../src/storage/database.ts';
import type { Database } from '../../src/storage/schema.ts';
import { freshPostgresDatabase } from '../support/databases.ts';
import { codeOf, messageOf } from '../support/manager-calls.ts';
import { describeDialects } from '../support/matrix.ts';
import { type Added, addClient, addCustomer } from '../support/owner-rows.ts';
import { newDataDir, type RunningProgram, startProgram } from '../support/program.ts';
import { itHoldsFor } from '../support/rule.ts';
import { openTransports, type Transport } from '../support/transports.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

const { issueToken, exchangeApiKey } = IssuanceService.method;
const { verifyToken } = VerificationService.method;
const clients = ClientService.method;
const customers = CustomerService.method;

const credentialInvalid = 'identity.credential_invalid';

type Manage = Transport['call'];

/** The change by one process to the owner of a credential, and the other's answer. */
const losses: [string, 'client' | 'customer', (of: Added, manage: Manage) => unknown, string][] = [
  [
    'a revoked secret',
    'client',
    ({ ownerId: clientId, credentialId: secretId }, manage) =>
      manage(clients.revokeClientSecret, { clientId, secretId }),
    credentialInvalid,
  ],
  [
    'a secret that was rotated without an overlap',
    'client',
    ({ ownerId: clientId }, manage) =>
      manage(clients.rotateClientSecret, { clientId, overlapSeconds: 0 }),
    credentialInvalid,
  ],
  [
    "a disabled client's secret",
    'client',
    ({ ownerId: clientId }, manage) => manage(clients.disableClient, { clientId }),
    credentialInvalid,
  ],
  [
    'a removed scope',
    'client',
    ({ ownerId: clientId }, manage) =>
      manage(clients.updateClient, { clientId, scopes: ['payments:write'] }),
    'identity.scope_not_granted',
  ],
  [
    'a revoked key',
    'customer',
    ({ ownerId: customerId, credentialId: keyId }, manage) =>
      manage(customers.revokeApiKey, { customerId, keyId }),
    credentialInvalid,
  ],
  [
    'a key that was rotated without an overlap',
    'customer',
    ({ ownerId: customerId, credentialId: keyId }, manage) =>
      manage(customers.rotateApiKey, { customerId, keyId, overlapSeconds: 0 }),
    credentialInvalid,
  ],
  [
    "a disabled customer's key",
    'customer',
    ({ ownerId: customerId }, manage) => manage(customers.disableCustomer, { customerId }),
    credentialInvalid,
  ],
];

describeDialects('a process', (dialect) => {
  let db: Database;
  let programs: RunningProgram[];
  let first: Transport;
  let second: Transport;
  let credential: { authorization: string };

  beforeAll(async () => {
    const dataDir = await newDataDir();
    const url =
      dialect === 'postgres' ? await freshPostgresDatabase() : `sqlite:${dataDir}/latchkey.db`;
    const env = {
      LATCHKEY_DATABASE_URL: url,
      LATCHKEY_BOOTSTRAP: 'demo',
      // Each process accepts the other's tokens.
      LATCHKEY_PUBLIC_URL: 'http://latchkey.test',
    };
    programs = [await startProgram(env, dataDir), await startProgram(env, dataDir)];
    db = await openDatabase(url);
    const [one, two] = programs.map(grpcTransportOf);
    if (one === undefined || two === undefined) throw new Error('there are no two transports');
    [first, second] = [one, two];
    const scope = 'clients:write customers:write tokens:read';
    const { ownerId: clientId, text: clientSecret } = await addClient(db, scope);
    const issued = await first.call(issueToken, { clientId, clientSecret, scope });
    credential = { authorization: `Bearer ${messageOf(issued).accessToken}` };
  });
  afterAll(async () => {
    first?.close();
    second?.close();
    await db?.destroy();
    for (const program of programs ?? []) await program.remove();
  });

  const manage: Manage = (method, request) => first.call(method, request, credential);
  /** Whether the credential still yields a token. */
  const codeAt = async (
    transport: Transport,
    kind: 'client' | 'customer',
    { ownerId, text }: Added,
  ) => {
    const request = { clientId: ownerId, clientSecret: text, scope: 'payments:read' };
    return kind === 'client'
      ? codeOf(await transport.call(issueToken, request))
      : codeOf(await transport.call(exchangeApiKey, { apiKey: text }));
  };

  itHoldsFor(losses, 7)(
    'refuses a revoked credential at once, and the other one within a second',
    async (...loss) => {
      const [, kind, take, code] = loss;
      const scopes = 'payments:read payments:write';
      const added = await (kind === 'client' ? addClient(db, scopes) : addCustomer(db, scopes));
      for (const transport of [first, second, second])
        expect(await codeAt(transport, kind, added)).toBe('ok');

      expect(await take(added, manage)).toMatchObject({ ok: true });

      expect(await codeAt(first, kind, added)).toBe(code);
      await expectWithinOneSecond(db, () => codeAt(second, kind, added), code);
    },
  );

  it('rejects the token of a client that the other one has disabled', async () => {
    const { ownerId: clientId, text: clientSecret } = await addClient(db, 'payments:read');
    const request = { clientId, clientSecret, scope: 'payments:read' };
    const { accessToken: token } = messageOf(await second.call(issueToken, request));
    const isActiveAt = async (transport: Transport) =>
      messageOf(await transport.call(verifyToken, { token }, credential)).active;
    for (const transport of [first, second]) expect(await isActiveAt(transport)).toBe(true);

    messageOf(await manage(clients.disableClient, { clientId }));

    expect(await isActiveAt(first)).toBe(false);
    await expectWithinOneSecond(db, () => isActiveAt(second), false);
    messageOf(await manage(clients.enableClient, { clientId }));
    expect(await isActiveAt(first)).toBe(true);
    await expectWithinOneSecond(db, () => isActiveAt(second), true);
  });

  it('issues no token for an account that the other one has removed', async () => {
    const scopes = 'payments:read';
    const { ownerId: customerId, text: apiKey } = await addCustomer(db, scopes, {
      accounts: ['acc_1', 'acc_2'],
    });
    const accountsAt = async (transport: Transport) => {
      const { accessToken } = messageOf(await transport.call(exchangeApiKey, { apiKey }));
      return decodeJwt(accessToken).accounts;
    };
    for (const transport of [first, second])
      expect(await accountsAt(transport)).toEqual(['acc_1', 'acc_2']);

    messageOf(await manage(customers.putAccounts, { customerId, accountIds: ['acc_2'] }));

    expect(await accountsAt(first)).toEqual(['acc_2']);
    await expectWithinOneSecond(db, () => accountsAt(second), ['acc_2']);
  });

  it('loses no secret if both rotate at once', async () => {
    const { ownerId: clientId } = await addClient(db, 'payments:read');
    const rotate = async (transport: Transport) => {
      for (;;) {
        const answer = await transport.call(clients.rotateClientSecret, { clientId }, credential);
        // The other process may keep an SQLite file busy for as long as the machine delays it.
        if (codeOf(answer) !== 'unavailable') return answer;
      }
    };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => rotate(i % 2 === 0 ? first : second)),
    );

    const codes = new Set(answers.map(codeOf));
    expect(codes).toEqual(new Set(['ok', 'conflict']));
    const made = answers.flatMap((answer) => (answer.ok ? [answer.message.clientSecret] : []));
    expect(made).toHaveLength(9);
    const { secrets } = messageOf(await manage(clients.listClientSecrets, { clientId }));
    expect(secrets.filter(({ state }) => state === CredentialState.LIVE)).toHaveLength(10);
    for (const text of made) {
      const added = { ownerId: clientId, credentialId: '', text };
      for (const transport of [first, second])
        expect(await codeAt(transport, 'client', added)).toBe('ok');
    }
  });
});

function grpcTransportOf({ env }: RunningProgram): Transport {
  const transports = openTransports({
    publicUrl: env.LATCHKEY_BASE_URL,
    grpcAddress: env.LATCHKEY_GRPC_ADDRESS,
  });
  const transport = transports.find(({ name }) => name === 'grpc');
  if (transport === undefined) throw new Error('there is no such transport');
  return transport;
}
