// A caller cannot grant a scope that the caller does not hold, by any method.
import { expect, it } from 'vitest';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { callJson } from '../support/json-calls.ts';
import { codeOf, managerCredential } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { addClient } from '../support/owner-rows.ts';
import { itHoldsFor, product } from '../support/rule.ts';

const {
  createClient,
  updateClient,
  disableClient,
  enableClient,
  createClientSecret,
  rotateClientSecret,
  revokeClientSecret,
} = ClientService.method;

const scopesMask = { paths: ['scopes'] };

const own = 'clients:read clients:write tokens:read';

const mayGrant: [string, string[]][] = [
  ['scopes that the caller holds', ['tokens:read', 'clients:write']],
  ['scopes of other services', ['payments:read', 'payments:write', 'signing:write']],
];

const mayNotGrant: [string, string[]][] = [
  ['scopes that the caller does not hold', ['users:write']],
  ['write where the caller holds read', ['tokens:write']],
  ['read access to accounts', ['accounts:read']],
  ['one such scope among others', ['payments:read', 'tokens:read', 'audit:read']],
];

describeApp('a caller that manages clients', (suite) => {
  const stored = async () => {
    const { db } = suite.app.inside;
    const clients = await db.selectFrom('clients').selectAll().orderBy('id').execute();
    const credentials = await db.selectFrom('credentials').selectAll().orderBy('id').execute();
    return { clients, credentials };
  };

  describeOneTransport(suite, (name) => {
    const managers = ['service', 'staff'] as const;
    const callAs = (type: 'service' | 'staff') =>
      suite.callsThrough(name, () => managerCredential(suite.app, own, { type }));

    itHoldsFor(product(managers, mayGrant), 4)(
      'grants a client what the caller has',
      async (type, _, scopes) => {
        const call = callAs(type);
        const { ownerId: clientId } = await addClient(suite.app.inside.db, 'refunds:read');

        expect(codeOf(await call(createClient, { name: 'New', scopes }))).toBe('ok');
        expect(codeOf(await call(updateClient, { clientId, scopes }))).toBe('ok');
        expect(codeOf(await call(createClientSecret, { clientId }))).toBe('ok');
        expect(codeOf(await call(rotateClientSecret, { clientId }))).toBe('ok');
        expect(codeOf(await call(disableClient, { clientId }))).toBe('ok');
        expect(codeOf(await call(enableClient, { clientId }))).toBe('ok');
      },
    );

    itHoldsFor(product(managers, mayNotGrant), 8)(
      'cannot grant a client more than the caller has',
      async (type, _, scopes) => {
        const call = callAs(type);
        const { db } = suite.app.inside;
        const { ownerId: clientId } = await addClient(db, 'refunds:read');
        const mighty = await addClient(db, scopes.join(' '));
        const disabled = await addClient(db, scopes.join(' '), { disabled: true });
        await managerCredential(suite.app, own, { type });
        const before = await stored();

        for (const answer of [
          await call(createClient, { name: 'New', scopes }),
          await call(updateClient, { clientId, scopes }),
          // A client's secret gives all its scopes.
          await call(createClientSecret, { clientId: mighty.ownerId }),
          await call(rotateClientSecret, { clientId: mighty.ownerId, overlapSeconds: 0 }),
          await call(enableClient, { clientId: disabled.ownerId }),
        ]) {
          expect(codeOf(answer)).toBe('forbidden');
        }
        expect(await stored()).toEqual(before);
      },
    );

    itHoldsFor(product(managers, mayNotGrant), 8)(
      'cannot weaken a client that has more than the caller',
      async (type, _, scopes) => {
        const call = callAs(type);
        const { db } = suite.app.inside;
        const mighty = await addClient(db, `refunds:read ${scopes.join(' ')}`);
        const { ownerId: clientId, credentialId: secretId } = mighty;
        await managerCredential(suite.app, own, { type });
        const before = await stored();

        for (const answer of [
          await call(disableClient, { clientId }),
          await call(updateClient, { clientId, scopes: ['refunds:read'] }),
          await call(updateClient, { clientId, scopes: [], updateMask: scopesMask }),
          await call(revokeClientSecret, { clientId, secretId }),
        ]) {
          expect(codeOf(answer)).toBe('forbidden');
        }
        expect(await stored()).toEqual(before);
        // These changes take nothing away.
        expect(codeOf(await call(updateClient, { clientId, name: 'Renamed' }))).toBe('ok');
        const more = ['refunds:read', 'payments:read', ...scopes];
        expect(codeOf(await call(updateClient, { clientId, scopes: more }))).toBe('ok');
      },
    );

    itHoldsFor(managers, 2)(
      'can weaken a client whose other scopes belong to other services',
      async (type) => {
        const call = callAs(type);
        const { db } = suite.app.inside;
        const added = await addClient(db, 'tokens:read payments:write refunds:read');
        const { ownerId: clientId, credentialId: secretId } = added;

        const scopes = ['payments:write'];
        expect(codeOf(await call(updateClient, { clientId, scopes }))).toBe('ok');
        expect(codeOf(await call(revokeClientSecret, { clientId, secretId }))).toBe('ok');
        expect(codeOf(await call(disableClient, { clientId }))).toBe('ok');
      },
    );
  });

  it('learns over HTTP which scopes are missing', async () => {
    const manager = await managerCredential(suite.app, own);
    const fields = { name: 'New', scopes: ['users:write', 'audit:read', 'tokens:read'] };
    const response = await callJson(suite.app, 'POST', '/clients', fields, manager);
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_scope", scope="clients:write users:write audit:read"',
    );

    const { ownerId } = await addClient(suite.app.inside.db, 'users:write payments:read');
    const disable = `/clients/${ownerId}:disable`;
    expect(await callJson(suite.app, 'POST', disable, {}, manager)).toMatchObject({
      status: 403,
      body: { code: 'forbidden', detail: 'The caller must also hold users:write.' },
    });
  });
});
