// Services with @latchkey/verify check the proofs of bound tokens.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireToken } from '../../../clients/verify/src/express.ts';
import { createVerifier, type Verifier } from '../../../clients/verify/src/verifier.ts';
import { digestOf, type Holder, makeHolder, requestBoundToken } from '../../support/dpop.ts';
import { startTestApp, type TestApp } from '../../support/harness.ts';
import { addClient } from '../../support/owner-rows.ts';
import { openRawHttp, requestHead } from '../../support/raw-http.ts';
import { findFailures } from '../../support/rule.ts';
import { ownToken } from '../../support/token-exchange.ts';

const scope = 'payments:read';

describe('a service', () => {
  let testApp: TestApp;
  let holder: Holder;
  let bound: string;
  let bearer: string;
  let verifier: Verifier;
  let server: ReturnType<typeof createServer>;
  let url: string;

  beforeAll(async () => {
    testApp = await startTestApp();
    const { app } = testApp;
    const client = await addClient(app.inside.db, scope);
    holder = await makeHolder('RS256');
    bound = await requestBoundToken(app, holder, {
      ...{ grant_type: 'client_credentials', scope },
      ...{ client_id: client.ownerId, client_secret: client.text },
    });
    bearer = await ownToken(app, client, scope);
    server = createServer((request, reply) =>
      requireToken(verifier, { scope })(request, reply, (error) => {
        reply.writeHead(error === undefined ? 200 : 500).end();
      }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    verifier = createVerifier({ issuer: app.publicUrl, baseUrl: url });
  });
  afterAll(async () => {
    server.close();
    await testApp.remove();
  });

  const valid = () => ({ htm: 'GET', htu: `${url}/payments`, ath: digestOf(bound) });
  const get = async (authorization: string, dpop?: string) => {
    const headers = { authorization, ...(dpop === undefined ? {} : { dpop }) };
    return (await fetch(`${url}/payments?page=2`, { headers })).status;
  };

  /** Sends a request target that no client library sends. */
  const getTarget = async (target: string, dpop: string) => {
    const { host, port } = new URL(url);
    const raw = await openRawHttp(Number(port));
    await raw.write(requestHead('GET', target, { host, authorization: `DPoP ${bound}`, dpop }));
    const response = await raw.response();
    raw.reset();
    return response?.status ?? 0;
  };
  const evil = 'http://evil.example/payments';

  it('accepts a bound token only with a new proof of its key for the request', async () => {
    expect(await get(`Bearer ${bearer}`)).toBe(200);
    const proof = await holder.prove(valid());
    expect(await get(`DPoP ${bound}`, proof)).toBe(200);
    const old = Math.floor(Date.now() / 1000) - 61;
    const attacks: Record<string, () => Promise<number>> = {
      'used before': () => get(`DPoP ${bound}`, proof),
      'no proof': () => get(`DPoP ${bound}`),
      'as a bearer token': () => get(`Bearer ${bound}`),
      'as a bearer token with a proof': async () =>
        get(`Bearer ${bound}`, await holder.prove(valid())),
      'a proof for a bearer token': async () =>
        get(`DPoP ${bearer}`, await holder.prove({ ...valid(), ath: digestOf(bearer) })),
      'another key': async () => get(`DPoP ${bound}`, await (await makeHolder()).prove(valid())),
      'another method': async () =>
        get(`DPoP ${bound}`, await holder.prove({ ...valid(), htm: 'POST' })),
      'another URL': async () =>
        get(`DPoP ${bound}`, await holder.prove({ ...valid(), htu: `${url}/other` })),
      'another token': async () =>
        get(`DPoP ${bound}`, await holder.prove({ ...valid(), ath: digestOf('other') })),
      'an old proof': async () =>
        get(`DPoP ${bound}`, await holder.prove({ ...valid(), iat: old })),
      'another typ': async () => get(`DPoP ${bound}`, await holder.prove(valid(), { typ: 'jwt' })),
      'two proofs': async () => {
        const two = [await holder.prove(valid()), await holder.prove(valid())];
        return get(`DPoP ${bound}`, two.join(', '));
      },
      // Another service that gets a token and a proof must not use them here.
      'the proof for another service, with its absolute URL': async () =>
        getTarget(evil, await holder.prove({ ...valid(), htu: evil })),
      'the proof for another service, with a path of two slashes': async () =>
        getTarget('//evil.example/payments', await holder.prove({ ...valid(), htu: evil })),
      // Node's parser accepts targets that begin with an asterisk.
      'the proof for another service, with a target that names it as the host': async () =>
        getTarget('*@evil.example/payments', await holder.prove({ ...valid(), htu: evil })),
      'a path that is not valid in a URL': async () =>
        getTarget('//[', await holder.prove({ ...valid(), htu: evil })),
    };
    const failures = await findFailures(Object.entries(attacks), async (_name, attack) => {
      expect(await attack()).toBe(401);
    });
    expect(failures).toEqual([]);
    expect(Object.keys(attacks)).toHaveLength(16);
    expect(await getTarget(evil, await holder.prove(valid()))).toBe(200);
    await expect(verifier.verify(bound)).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
