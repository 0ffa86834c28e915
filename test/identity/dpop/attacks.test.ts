// Attacks on DPoP (RFC 9449): where tokens are issued, at the API of the service, at VerifyToken.
// No log line contains a token or a proof.

import { decodeJwt, type JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf, fetchNonce, type Holder, makeHolder } from '../../support/dpop.ts';
import { proofFlaws, tokenProofFlaws } from '../../support/dpop-flaws.ts';
import { startTestApp, type TestApp } from '../../support/harness.ts';
import { callForm, callJson } from '../../support/json-calls.ts';
import { findLeaks } from '../../support/log-leaks.ts';
import { managerCredential } from '../../support/manager-calls.ts';
import { type Added, addClient, addCustomer } from '../../support/owner-rows.ts';
import { findFailures } from '../../support/rule.ts';
import { ownToken } from '../../support/token-exchange.ts';

const scope = 'tokens:read audit:read';
const service = 'https://payments.example';

type Place = {
  readonly testApp: TestApp;
  readonly client: Added;
  readonly holder: Holder;
  readonly tokensUrl: string;
  readonly nonce: string;
  readonly bound: string;
  readonly bearer: string;
  readonly customer: Added;
};

const targets = ['issue', 'exchange', 'call', 'verify'] as const;
type Target = (typeof targets)[number];

describe('a DPoP proof', () => {
  let place: Place;
  let manager: { readonly authorization: string };
  const sent: string[] = [];

  beforeAll(async () => {
    const testApp = await startTestApp();
    const { app } = testApp;
    const client = await addClient(app.inside.db, scope);
    const holder = await makeHolder();
    const tokensUrl = `${app.publicUrl}/tokens`;
    manager = await managerCredential(app, 'tokens:read');
    const nonce = await fetchNonce(app, formOf(client));
    const first = { testApp, client, holder, tokensUrl, nonce };
    const proof = await holder.prove({ htu: tokensUrl, nonce });
    const issued = await issue(first, { dpop: proof });
    expect(issued).toMatchObject({ status: 200, body: { token_type: 'DPoP' } });
    const bound = String(issued.body.access_token);
    expect(decodeJwt(bound).cnf).toEqual({ jkt: holder.jkt });
    const bearer = await ownToken(app, client, scope);
    const customer = await addCustomer(app.inside.db, 'accounts:read');
    place = { ...first, bound, bearer, customer };
  });
  afterAll(() => place.testApp.remove());

  const formOf = ({ ownerId, text }: Added) => ({
    ...{ grant_type: 'client_credentials', scope, client_id: ownerId, client_secret: text },
  });

  const issue = (
    { testApp, client }: Pick<Place, 'testApp' | 'client'>,
    headers: Record<string, string>,
  ) => callForm(testApp.app, '/tokens', formOf(client), headers);

  const exchangeUrl = () => `${place.tokensUrl}/api-key`;

  async function exchange(dpop: string) {
    const { testApp, customer } = place;
    return callJson(testApp.app, 'POST', '/tokens/api-key', { api_key: customer.text }, { dpop });
  }

  const eventsUrl = () => `${place.testApp.app.publicUrl}/audit-events`;

  async function call(authorization: string, dpop?: string) {
    const headers = { authorization, ...(dpop === undefined ? {} : { dpop }) };
    const response = await fetch(`${eventsUrl()}?page_size=1`, { headers });
    await response.text();
    return { status: response.status, challenge: response.headers.get('www-authenticate') };
  }

  async function verify(token: string, fields: object) {
    const { app } = place.testApp;
    return (await callJson(app, 'POST', '/tokens/verify', { token, ...fields }, manager)).body;
  }

  /** The claims of a valid proof at a place. */
  const validFor = (target: Target): JWTPayload => {
    const { tokensUrl, nonce, bound } = place;
    if (target === 'issue') return { htu: tokensUrl, nonce };
    if (target === 'exchange') return { htu: exchangeUrl(), nonce };
    const htu = target === 'call' ? eventsUrl() : `${service}/payments`;
    return { htm: 'GET', htu, ath: digestOf(bound) };
  };
  const request = { http_method: 'GET', http_url: `${service}/payments?page=2` };

  async function isAccepted(target: Target, proof: string): Promise<boolean> {
    sent.push(proof);
    if (target === 'issue' || target === 'exchange') {
      const { status, body } =
        target === 'issue' ? await issue(place, { dpop: proof }) : await exchange(proof);
      if (status !== 200) expect(body.error).toMatch(/^(invalid_dpop_proof|use_dpop_nonce)$/);
      return status === 200;
    }
    if (target === 'call') {
      const { status, challenge } = await call(`DPoP ${place.bound}`, proof);
      if (status !== 200) expect(challenge).toMatch(/^DPoP error="[a-z_]+", algs="EdDSA /);
      return status === 200;
    }
    const answer = await verify(place.bound, { dpop_proof: proof, ...request });
    return answer.active === true;
  }

  it('of an attacker is refused', { timeout: 120_000 }, async () => {
    const cases = targets.flatMap((target) => {
      const hasToken = target === 'call' || target === 'verify';
      const flaws = hasToken ? [...proofFlaws, ...tokenProofFlaws] : proofFlaws;
      return flaws.map(([name, make]) => [name, target, make] as const);
    });
    const failures = await findFailures(cases, async (_name, target, make) => {
      const valid = validFor(target);
      expect(await isAccepted(target, await place.holder.prove(valid))).toBe(true);
      expect(await isAccepted(target, await make(place.holder, valid))).toBe(false);
    });
    expect(failures).toEqual([]);
    expect(cases.length).toBe(90);
  });

  it('is accepted once, everywhere together', async () => {
    const failures = await findFailures(targets, async (target) => {
      const proof = await place.holder.prove(validFor(target));
      const answers = await Promise.all([isAccepted(target, proof), isAccepted(target, proof)]);
      expect(answers.toSorted()).toEqual([false, true]);
      expect(await isAccepted(target, proof)).toBe(false);
    });
    expect(failures).toEqual([]);
  });

  it('for a token needs a nonce of the service, which the answer brings', async () => {
    const { holder, tokensUrl, nonce } = place;
    for (const other of [undefined, 'x', `${nonce}x`, holder.jkt]) {
      const dpop = await holder.prove({ htu: tokensUrl, nonce: other });
      const answer = await issue(place, { dpop });
      expect(answer).toMatchObject({ status: 400, body: { error: 'use_dpop_nonce' } });
      const next = answer.headers.get('dpop-nonce') ?? '';
      const repeated = { dpop: await holder.prove({ htu: tokensUrl, nonce: next }) };
      expect(await issue(place, repeated)).toMatchObject({ status: 200 });
    }
  });

  it('is needed for a bound token, and refused with another', async () => {
    const { bound, bearer, holder } = place;
    const proof = (token: string) =>
      holder.prove({ htm: 'GET', htu: eventsUrl(), ath: digestOf(token) });
    expect(await call(`Bearer ${bearer}`)).toMatchObject({ status: 200 });
    expect(await call(`Bearer ${bound}`)).toMatchObject({ status: 401 });
    expect(await call(`DPoP ${bound}`)).toMatchObject({ status: 401 });
    expect(await call(`Bearer ${bound}`, await proof(bound))).toMatchObject({ status: 401 });
    expect(await call(`DPoP ${bearer}`, await proof(bearer))).toMatchObject({ status: 401 });
    const ofBearer = await holder.prove({ ...validFor('verify'), ath: digestOf(bearer) });
    expect(await verify(bearer, { dpop_proof: ofBearer, ...request })).toMatchObject({
      active: false,
    });
    expect(await verify(bearer, {})).toMatchObject({ active: true });
    expect(await verify(bound, {})).toMatchObject({ active: false });
    const fields = { dpop_proof: await holder.prove(validFor('verify')) };
    expect(await verify(bound, fields)).toMatchObject({ code: 'invalid_argument' });
    expect(await verify(bound, { ...fields, ...request })).toMatchObject({
      ...{ active: true, cnf: { jkt: holder.jkt } },
    });
  });

  it('is recorded with its reason when it is refused, and never logged', async () => {
    const { app } = place.testApp;
    const reasons = async () => {
      const rows = await app.inside.db
        .selectFrom('audit_events')
        .select('reason')
        .where('code', '=', 'identity.invalid_dpop_proof')
        .where('target', '=', place.client.ownerId)
        .execute();
      return new Set(rows.map(({ reason }) => reason));
    };
    await expect.poll(async () => (await reasons()).size).toBeGreaterThan(8);
    expect(await reasons()).toContain('The DPoP proof has no valid public jwk.');
    const otherOrigin = `The DPoP proof is for another origin than ${app.publicUrl}.`;
    expect(await reasons()).toContain(otherOrigin);
    expect(await findLeaks(place.testApp, [...sent, place.bound])).toEqual([]);
  });
});
