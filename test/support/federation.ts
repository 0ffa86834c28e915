// Trusted issuers, and clients with federated identities.
import { randomBytes } from 'node:crypto';
import { newId } from '../../src/base/crypto/ids.ts';
import { insertFederatedIdentity } from '../../src/identity/clients/store.ts';
import { insertIssuer } from '../../src/identity/trusted-issuers/store.ts';
import type { Database, TrustedIssuerRow } from '../../src/storage/schema/schema.ts';
import type { Place } from './app-suite.ts';
import { clientAssertionType, keyScope } from './client-keys.ts';
import { callForm, callJson, type JsonAnswer } from './json-calls.ts';
import { managerCredential } from './manager-calls.ts';
import { addClient, changeAsOtherProcess } from './owner-rows.ts';

/** Adds a trusted issuer whose keys no process reads. Returns its id. */
export async function addIssuer(
  db: Database,
  change: Partial<TrustedIssuerRow> = {},
): Promise<string> {
  const id = newId('iss', randomBytes);
  const row = {
    ...{ id, name: 'Test', issuer: `urn:${id}`, jwks_uri: null, jwks: '{"keys":[]}' },
    ...{ audience: '', enabled: 1 as const, create_time: Date.now(), read_jwks: null },
    ...{ read_time: null, attempt_time: null, attempt_error: '' },
    ...{ creator_id: null, ...change },
  };
  await changeAsOtherProcess(db, (trx) => insertIssuer(trx, row));
  return id;
}

/** Adds a federated identity to a client. Returns its id. */
export async function addIdentity(
  db: Database,
  clientId: string,
  issuerId: string,
  subject: string,
  claims: Readonly<Record<string, string>> = {},
): Promise<string> {
  const id = newId('fed', randomBytes);
  const row = {
    ...{ id, client_id: clientId, issuer_id: issuerId, subject },
    ...{ claims: JSON.stringify(claims), create_time: Date.now() },
  };
  await changeAsOtherProcess(db, (trx) => insertFederatedIdentity(trx, row));
  return id;
}

/** Adds a client with a federated identity. Returns its id. */
export async function clientOf(
  { app }: Pick<Place, 'app'>,
  issuerId: string,
  subject: string,
  claims: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { db } = app.inside;
  const { ownerId } = await addClient(db, keyScope);
  await addIdentity(db, ownerId, issuerId, subject, claims);
  return ownerId;
}

/** Calls the API as a service that may do all of this. */
export async function callFederation<T = Record<string, unknown>>(
  { app }: Pick<Place, 'app'>,
  method: string,
  path: string,
  body?: object,
): Promise<JsonAnswer<T>> {
  const scope = 'trusted_issuers:read trusted_issuers:write clients:read clients:write';
  return callJson<T>(app, method, path, body, await managerCredential(app, scope));
}

/** Requests a token over HTTP with an assertion. */
export function requestToken(publicUrl: string, clientId: string, assertion: string) {
  return callForm({ publicUrl }, '/tokens', {
    ...{ grant_type: 'client_credentials', scope: keyScope, client_assertion: assertion },
    client_assertion_type: clientAssertionType,
    ...(clientId === '' ? {} : { client_id: clientId }),
  });
}
