// Attacks on DPoP (RFC 9449): at the token endpoint, at the API of the service and at VerifyToken.
// No log line contains a token or a proof.
import { decodeJwt, type JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyPairs } from '../../support/client-keys.ts';
import { digestOf, fetchNonce, type Holder, makeHolder, signProof } from '../../support/dpop.ts';
import { startTestApp, type TestApp } from '../../support/harness.ts';
import { managerCredential } from '../../support/manager-calls.ts';
import { type Added, addClient } from '../../support/owner-rows.ts';
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
};

type Target = 'issue' | 'call' | 'verify';

/** Returns a proof; `valid` are the claims of a valid one. */
type MakeProof = (place: Place, valid: JWTPayload, target: Target) => Promise<string> | string;

const secret = new TextEncoder().encode('x'.repeat(32));
const now = () => Math.floor(Date.now() / 1000);

/** Flaws of a proof at each of the three places. */
const anywhere: readonly (readonly [name: string, make: MakeProof])[] = [
  ['a text', () => 'x'],
  ['no algorithm', ({ holder }, valid) => unsigned(holder, valid)],
  [
    'an HMAC',
    ({ holder: { jwk } }, valid) => signProof(secret, valid, { alg: 'HS256', jwk } as never),
  ],
  [
    'a symmetric jwk',
    (_, valid) => {
      const jwk = { kty: 'oct', k: Buffer.from(secret).toString('base64url') };
      return signProof(secret, valid, { alg: 'HS256', jwk } as never);
    },
  ],
  ['no jwk', ({ holder }, valid) => holder.prove(valid, { jwk: undefined })],
  [
    'a jwk with a private member',
    (_, valid) => {
      const { privateKey } = keyPairs.ES256();
      const jwk = privateKey.export({ format: 'jwk' });
      return signProof(privateKey, valid, { alg: 'ES256', jwk } as never);
    },
  ],
  [
    'the jwk of another key',
    async ({ holder }, valid) => holder.prove(valid, { jwk: (await makeHolder()).jwk }),
  ],
  [
    'a jwk whose members are lists',
    ({ holder }, valid) => holder.prove(valid, { jwk: { ...holder.jwk, kty: ['EC'] } }),
  ],
  ['another typ', ({ holder }, valid) => holder.prove(valid, { typ: 'at+jwt' })],
  ['a critical header', ({ holder }, valid) => holder.prove(valid, { crit: ['b64'], b64: true })],
  ['another method', ({ holder }, valid) => holder.prove({ ...valid, htm: 'PUT' })],
  ['a method in lower case', ({ holder }, valid) => holder.prove({ ...valid, htm: 'post' })],
  ['no method', ({ holder }, valid) => holder.prove({ ...valid, htm: undefined } as never)],
  [
    'another host',
    ({ holder }, valid) => holder.prove({ ...valid, htu: 'https://evil.example/tokens' }),
  ],
  ['another path', ({ holder }, valid) => holder.prove({ ...valid, htu: `${valid.htu}/more` })],
  ['no URL', ({ holder }, valid) => holder.prove({ ...valid, htu: undefined })],
  ['an old iat', ({ holder }, valid) => holder.prove({ ...valid, iat: now() - 61 })],
  ['an iat in the future', ({ holder }, valid) => holder.prove({ ...valid, iat: now() + 90 })],
  ['no iat', ({ holder }, valid) => holder.prove({ ...valid, iat: undefined } as never)],
  ['no jti', ({ holder }, valid) => holder.prove({ ...valid, jti: undefined } as never)],
  ['a giant jti', ({ holder }, valid) => holder.prove({ ...valid, jti: 'x'.repeat(257) })],
];

/** Flaws of a proof that comes with a token. */
const withToken: readonly (readonly [name: string, make: MakeProof])[] = [
  ['another ath', ({ holder }, valid) => holder.prove({ ...valid, ath: digestOf('other') })],
  ['no ath', ({ holder }, valid) => holder.prove({ ...valid, ath: undefined })],
  ['the proof of another key', async (_, valid) => (await makeHolder()).prove(valid)],
];

function unsigned({ jwk }: Holder, valid: JWTPayload): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = encode({ typ: 'dpop+jwt', alg: 'none', jwk });
  return `${header}.${encode({ jti: 'a', iat: now(), htm: 'POST', ...valid })}.`;
}

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
    const nonce = await fetchNonce(tokensUrl, formOf(client));
    const first = { testApp, client, holder, tokensUrl, nonce };
    const proof = await holder.prove({ htu: tokensUrl, nonce });
    const issued = await issue(first, { dpop: proof });
    expect(issued).toMatchObject({ status: 200, body: { token_type: 'DPoP' } });
    const bound = String(issued.body.access_token);
    expect(decodeJwt(bound).cnf).toEqual({ jkt: holder.jkt });
    place = { ...first, bound, bearer: await ownToken(app, client, scope) };
  });
  afterAll(() => place.testApp.remove());

  const formOf = ({ ownerId, text }: Added) => ({
    ...{ grant_type: 'client_credentials', scope, client_id: ownerId, client_secret: text },
  });

  async function issue(
    { tokensUrl, client }: Pick<Place, 'tokensUrl' | 'client'>,
    headers: Record<string, string>,
  ) {
    const body = new URLSearchParams(formOf(client));
    const response = await fetch(tokensUrl, { method: 'POST', headers, body });
    const answer = (await response.json()) as Record<string, unknown>;
    return { status: response.status, body: answer, headers: response.headers };
  }

  const eventsUrl = () => `${place.testApp.app.publicUrl}/audit-events`;

  async function call(authorization: string, dpop?: string) {
    const headers = { authorization, ...(dpop === undefined ? {} : { dpop }) };
    const response = await fetch(`${eventsUrl()}?page_size=1`, { headers });
    await response.text();
    return { status: response.status, challenge: response.headers.get('www-authenticate') };
  }

  async function verify(token: string, fields: object) {
    const response = await fetch(`${place.testApp.app.publicUrl}/tokens/verify`, {
      method: 'POST',
      headers: { ...manager, 'content-type': 'application/json' },
      body: JSON.stringify({ token, ...fields }),
    });
    return (await response.json()) as Record<string, unknown>;
  }

  /** The claims of a valid proof at a place. */
  const validFor = (target: Target): JWTPayload => {
    const { tokensUrl, nonce, bound } = place;
    if (target === 'issue') return { htu: tokensUrl, nonce };
    const htu = target === 'call' ? eventsUrl() : `${service}/payments`;
    return { htm: 'GET', htu, ath: digestOf(bound) };
  };
  const request = { http_method: 'GET', http_url: `${service}/payments?page=2` };

  async function isAccepted(target: Target, proof: string): Promise<boolean> {
    sent.push(proof);
    if (target === 'issue') {
      const { status, body } = await issue(place, { dpop: proof });
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
    const targets = ['issue', 'call', 'verify'] as const;
    const cases = targets.flatMap((target) =>
      [...anywhere, ...(target === 'issue' ? [] : withToken)].map(
        ([name, make]) => [name, target, make] as const,
      ),
    );
    const failures = await findFailures(cases, async (_name, target, make) => {
      const valid = validFor(target);
      expect(await isAccepted(target, await place.holder.prove(valid))).toBe(true);
      expect(await isAccepted(target, await make(place, valid, target))).toBe(false);
    });
    expect(failures).toEqual([]);
    expect(cases.length).toBe(69);
  });

  it('is accepted once, everywhere together', async () => {
    const failures = await findFailures(['issue', 'call', 'verify'] as const, async (target) => {
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
    await expect.poll(async () => (await reasons()).size, { timeout: 5_000 }).toBeGreaterThan(8);
    expect(await reasons()).toContain('The DPoP proof has no valid public jwk.');
    const log = await place.testApp.logText();
    const leaks = [...sent, place.bound].filter((text) =>
      text.split('.').some((part) => part.length > 60 && log.includes(part)),
    );
    expect(leaks).toEqual([]);
  });
});
