// openid-client exchanges tokens and uses DPoP, with the metadata of the service alone.
import { decodeJwt } from 'jose';
import * as openid from 'openid-client';
import { expect, it } from 'vitest';
import { describeAppOnSqlite } from '../support/app-suite.ts';
import { addClient, addCustomer } from '../support/owner-rows.ts';
import { accessTokenType, customerToken, exchangeGrant } from '../support/token-exchange.ts';

describeAppOnSqlite('openid-client', (suite) => {
  const discover = (id: string, secret: string) =>
    openid.discovery(new URL(suite.app.publicUrl), id, secret, undefined, {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    });

  it('exchanges a token, and binds the new one to its key', async () => {
    const { app } = suite;
    const customer = await addCustomer(app.inside.db, 'accounts:read', { accounts: ['acc_1'] });
    const agent = await addClient(app.inside.db, 'accounts:read', { mayAct: ['customer'] });
    const config = await discover(agent.ownerId, agent.text);
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'));
    const parameters = {
      subject_token: await customerToken(app, customer),
      subject_token_type: accessTokenType,
      scope: 'accounts:read',
    };
    const plain = await openid.genericGrantRequest(config, exchangeGrant, parameters);
    expect(plain).toMatchObject({ token_type: 'bearer', issued_token_type: accessTokenType });
    const bound = await openid.genericGrantRequest(config, exchangeGrant, parameters, { DPoP });
    expect(bound).toMatchObject({ token_type: 'dpop', issued_token_type: accessTokenType });
    expect(decodeJwt(bound.access_token)).toMatchObject({
      ...{ sub: customer.ownerId, act: { sub: agent.ownerId } },
      cnf: { jkt: expect.any(String) },
    });
    const url = new URL(`${app.publicUrl}/accounts`);
    const get = (options: openid.DPoPOptions) =>
      openid
        .fetchProtectedResource(config, bound.access_token, url, 'GET', null, undefined, options)
        .then((response) => response.json())
        .catch((thrown: openid.WWWAuthenticateChallengeError) => thrown.status);
    expect(await get({ DPoP })).toMatchObject({ accounts: [{ id: 'acc_1' }] });
    expect(await get({})).toBe(401);
    const active = await openid.tokenIntrospection(config, bound.access_token);
    expect(active).toMatchObject({ active: true, token_type: 'DPoP', cnf: expect.anything() });
  });

  it('gets a bound token with client credentials, on every kind of key', async () => {
    const { ownerId, text } = await addClient(suite.app.inside.db, 'accounts:read');
    const config = await discover(ownerId, text);
    for (const alg of ['ES256', 'RS256', 'PS256', 'Ed25519'] as const) {
      const pair = await openid.randomDPoPKeyPair(alg);
      const options = alg === 'Ed25519' ? { [openid.modifyAssertion]: remapEd25519 } : {};
      const DPoP = openid.getDPoPHandle(config, pair, options);
      const granted = await openid.clientCredentialsGrant(
        config,
        { scope: 'accounts:read' },
        { DPoP },
      );
      expect(granted.token_type, alg).toBe('dpop');
    }
  });
});

/** The name that the service knows (RFC 8037 §3.1). */
const remapEd25519: openid.ModifyAssertionFunction = (header) => {
  if (header.alg === 'Ed25519') header.alg = 'EdDSA';
};
