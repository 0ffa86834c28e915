// Requests of a known client, with its secret or a token, wait for no query: PostgreSQL receives
// none of them.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { startPlace } from '../support/app-suite.ts';
import { migratedPostgresDatabase } from '../support/databases.ts';
import { codeOf, managerCredential, messageOf } from '../support/manager-calls.ts';
import { addClient } from '../support/owner-rows.ts';
import { startHoldingProxy } from '../support/tcp-proxies.ts';
import type { Transport } from '../support/transports.ts';

const { issueToken } = IssuanceService.method;
const { verifyToken } = VerificationService.method;

it('a known client gets and uses tokens while the database receives no query', async () => {
  const proxy = await startHoldingProxy(await migratedPostgresDatabase());
  const config = { databaseUrl: proxy.url };
  const { testApp, app, db, transports } = await startPlace({ config });
  const ask = async (transport: Transport, clientId: string, clientSecret: string) =>
    codeOf(await transport.call(issueToken, { clientId, clientSecret, scope: 'accounts:read' }));
  const askAsKnown = (transport: Transport) =>
    ask(transport, testApp.env.CLIENT_ID, testApp.env.CLIENT_SECRET);
  const other = await addClient(db, 'accounts:read');
  const own = await managerCredential(app, 'tokens:read');
  const token = own.authorization.slice('Bearer '.length);
  const verify = async (transport: Transport) =>
    messageOf(await transport.call(verifyToken, { token }, own)).active ? 'ok' : 'inactive';
  const requests = [askAsKnown, verify];
  for (const transport of transports) {
    for (const request of requests) expect(await request(transport)).toBe('ok');
  }

  proxy.hold();
  const codes: string[] = [];
  for (const transport of transports) {
    for (const request of requests) {
      for (let count = 0; count < 5; count++) codes.push(await request(transport));
    }
  }
  expect(codes).toEqual(Array(30).fill('ok'));
  // The first request of another client waits for its query.
  const [transport] = transports;
  const first = transport && ask(transport, other.ownerId, other.text);
  expect(await Promise.race([first, sleep(200, 'waits')])).toBe('waits');
  proxy.release();
  expect(await first).toBe('ok');
});
