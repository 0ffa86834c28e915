// Tokens of customers that are bound to the key of a DPoP proof, over each transport.
import { create, toJson } from '@bufbuild/protobuf';
import { decodeJwt } from 'jose';
import { beforeAll, expect, it } from 'vitest';
import { AccountService } from '../../../gen/latchkey/identity/v1/account_pb.js';
import { IssuanceService } from '../../../gen/latchkey/identity/v1/issuance_pb.js';
import { describeApp } from '../../support/app-suite.ts';
import { digestOf, type Holder, makeHolder } from '../../support/dpop.ts';
import { codeOf, messageOf } from '../../support/manager-calls.ts';
import type { TransportName } from '../../support/matrix.ts';
import { type Added, addCustomer } from '../../support/owner-rows.ts';
import { findFailures, itHoldsFor } from '../../support/rule.ts';
import { transportNames } from '../../support/transports.ts';

const { exchangeApiKey } = IssuanceService.method;
const { listAccounts } = AccountService.method;

type Use = {
  readonly scheme?: 'DPoP' | 'Bearer';
  /** Claims that replace those of a valid proof, or no proof. */
  readonly claims?: Readonly<Record<string, string>> | undefined;
  readonly hasProof?: boolean;
  readonly usesOtherKey?: boolean;
  readonly isRepeated?: boolean;
};

const refusedUses: readonly (readonly [name: string, use: Use])[] = [
  ['the scheme Bearer and a proof', { scheme: 'Bearer' }],
  ['the scheme Bearer and no proof', { scheme: 'Bearer', hasProof: false }],
  ['no proof', { hasProof: false }],
  ['the proof of another key', { usesOtherKey: true }],
  ['a proof for another method', { claims: { htm: 'PUT' } }],
  ['a proof for another URL', { claims: { htu: 'https://evil.example/accounts' } }],
  ['a proof for another token', { claims: { ath: digestOf('other') } }],
  ['a proof that was used before', { isRepeated: true }],
];

describeApp('the token of a customer with a DPoP key', (suite) => {
  let holder: Holder;
  let customer: Added;
  beforeAll(async () => {
    holder = await makeHolder();
    customer = await addCustomer(suite.app.inside.db, 'accounts:read');
  });

  async function exchange(name: TransportName, apiKey = customer.text) {
    const htu = `${suite.app.publicUrl}/tokens/api-key`;
    let nonce = '';
    const call = async () =>
      suite.transport(name).call(
        exchangeApiKey,
        { apiKey },
        {
          dpop: await holder.prove({ htu, nonce }),
          onHeaders: (headers) => {
            nonce = headers.get('dpop-nonce') ?? nonce;
          },
        },
      );
    const first = codeOf(await call());
    return { first, second: await call() };
  }

  async function boundToken(name: TransportName): Promise<string> {
    return messageOf((await exchange(name)).second).accessToken;
  }

  const methodUrl = `/${listAccounts.parent.typeName}/${listAccounts.name}`;

  async function use(name: TransportName, token: string, how: Use): Promise<string> {
    const { scheme = 'DPoP', claims = {}, hasProof = true, usesOtherKey, isRepeated } = how;
    const isHttp = name === 'http';
    const htu = suite.app.publicUrl + (isHttp ? '/accounts' : methodUrl);
    const valid = { htm: isHttp ? 'GET' : 'POST', htu, ath: digestOf(token) };
    const signer = usesOtherKey === true ? await makeHolder() : holder;
    const dpop = await signer.prove({ ...valid, ...claims });
    const credential = { authorization: `${scheme} ${token}`, ...(hasProof ? { dpop } : {}) };
    const call = async () => codeOf(await suite.transport(name).call(listAccounts, {}, credential));
    if (isRepeated === true) expect(await call()).toBe('ok');
    return call();
  }

  it('is issued for a proof with a nonce, and works with proofs, over each transport', async () => {
    const failures = await findFailures(transportNames, async (name) => {
      const { first, second } = await exchange(name);
      expect(first).toBe('identity.dpop_nonce_required');
      const { accessToken, tokenType } = messageOf(second);
      expect(tokenType).toBe('DPoP');
      expect(decodeJwt(accessToken)).toMatchObject({
        ...{ sub: customer.ownerId, cnf: { jkt: holder.jkt } },
      });
      expect(await use(name, accessToken, {})).toBe('ok');
      const wrong = await exchange(name, 'lk_ck_wrong');
      expect(wrong.first).toBe('identity.credential_invalid');
    });
    expect(failures).toEqual([]);
  });

  itHoldsFor(refusedUses, 8)('is refused with the flaw', async (_name, how) => {
    for (const name of transportNames) {
      expect(await use(name, await boundToken(name), how)).toBe('unauthenticated');
    }
  });

  it('works over a Connect GET with a proof for GET, and not with one for POST', async () => {
    const token = await boundToken('connect');
    const htu = suite.app.publicUrl + methodUrl;
    const message = JSON.stringify(toJson(listAccounts.input, create(listAccounts.input)));
    const query = new URLSearchParams({ connect: 'v1', encoding: 'json', message });
    const get = async (htm: string) => {
      const dpop = await holder.prove({ htm, htu, ath: digestOf(token) });
      const headers = { authorization: `DPoP ${token}`, dpop };
      return (await fetch(`${htu}?${query}`, { headers })).status;
    };
    expect(await get('GET')).toBe(200);
    expect(await get('POST')).toBe(401);
  });
});
