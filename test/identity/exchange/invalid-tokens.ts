// Attacks on the token exchange with forged tokens, and with tokens that are no longer valid.
import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import { addClient, addCustomer, revoke } from '../../support/owner-rows.ts';
import { casesOf } from '../../support/rule.ts';
import { signToken } from '../../support/signed-tokens.ts';
import {
  actorFields,
  customerToken,
  exchangedToken,
  ownToken,
} from '../../support/token-exchange.ts';
import { type Attacks, scopes } from './attack-place.ts';

const secret = new TextEncoder().encode('x'.repeat(32));
const { privateKey } = generateKeyPairSync('ed25519');
const jwt = (token: string) => new SignJWT(decodeJwt(token));

function changed(token: string, claims: object): string {
  const [header, , signature] = token.split('.');
  const body = Buffer.from(JSON.stringify({ ...decodeJwt(token), ...claims }));
  return `${header}.${body.toString('base64url')}.${signature}`;
}

const forged: Attacks = {
  invalid_request: {
    'a text': () => ({ subject: 'x' }),
    'a secret': ({ agent }) => ({ subject: agent.text }),
    'an API key': ({ customer }) => ({ subject: customer.text }),
    'no algorithm': async (place) => ({
      subject: new UnsecuredJWT(decodeJwt(await place.subject())).encode(),
    }),
    'an HMAC': async (place) => ({
      subject: await jwt(await place.subject())
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
        .sign(secret),
    }),
    'the key of a stranger': async (place) => ({
      subject: await jwt(await place.subject())
        .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: await place.kid() })
        .sign(privateKey),
    }),
    'more scopes in the payload': async (place) => ({
      subject: changed(await place.subject(), { scope: 'admin:write' }),
    }),
    'another subject in the payload': async (place) => ({
      subject: changed(await place.subject(), { sub: place.stranger.ownerId }),
    }),
    'no signature': async (place) => ({ subject: (await place.subject()).replace(/[^.]+$/, '') }),
  },
};

const dead: Attacks = {
  invalid_request: {
    'an expired token': async ({ app, customer }) => ({
      subject: await signToken(app, {
        ...{ type: 'customer', sub: customer.ownerId, keyId: customer.credentialId },
        ...{ scope: scopes, accounts: ['acc_1'], lifetimeSeconds: 0 },
      }),
    }),
    'a revoked token': async (place) => ({ subject: await place.revoked(await place.subject()) }),
    'a token whose parent was revoked': async (place) => {
      const parent = await place.subject();
      const subject = await exchangedToken(place.app, place.second, parent);
      await place.revoked(parent);
      return { subject };
    },
    'a token whose actor token was revoked': async (place) => {
      const { app, second } = place;
      const own = await ownToken(app, second, scopes);
      const subject = await exchangedToken(app, second, await place.subject(), actorFields(own));
      await place.revoked(own);
      return { subject };
    },
    'a token of a disabled customer': async (place) => {
      const own = await addCustomer(place.app.inside.db, scopes, { accounts: ['acc_1'] });
      const subject = await customerToken(place.app, own);
      await place.change((trx) =>
        trx
          .updateTable('customers')
          .set({ disable_time: 1 })
          .where('id', '=', own.ownerId)
          .execute(),
      );
      return { subject };
    },
    'a token of a revoked key': async (place) => {
      const own = await addCustomer(place.app.inside.db, scopes, { accounts: ['acc_1'] });
      const subject = await customerToken(place.app, own);
      await place.change((trx) => revoke(trx, own.credentialId));
      return { subject };
    },
    'a token of a disabled actor': async (place) => {
      const actor = await addClient(place.app.inside.db, scopes, { mayAct: ['customer'] });
      const subject = await exchangedToken(place.app, actor, await place.subject());
      await place.disable(actor);
      return { subject };
    },
    'an actor token that was revoked': async (place) => {
      const own = await ownToken(place.app, place.agent, scopes);
      return { form: actorFields(await place.revoked(own)) };
    },
  },
  invalid_client: {
    'a disabled client': async (place) => {
      const client = await addClient(place.app.inside.db, scopes, { mayAct: ['customer'] });
      await place.disable(client);
      return { client };
    },
    'a wrong secret': ({ agent, stranger }) => ({ client: { ...agent, text: stranger.text } }),
  },
};

export const invalidTokens = [forged, dead].flatMap(casesOf);
