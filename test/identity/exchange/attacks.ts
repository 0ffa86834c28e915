// Attacks on the token exchange: what the attacker sends, and the error of the answer.
import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import { type Added, addClient, addCustomer, revoke } from '../../support/owner-rows.ts';
import { signToken } from '../../support/signed-tokens.ts';
import {
  accessTokenType,
  actorFields,
  customerToken,
  exchangedToken,
  type Form,
  ownToken,
} from '../../support/token-exchange.ts';
import { type AttackPlace, audience, scopes } from './attack-place.ts';

export type Attempt = {
  readonly client?: Added;
  /** Instead of the customer's token. */
  readonly subject?: string;
  readonly form?: Form;
};

type Attack = readonly [
  name: string,
  error: 'invalid_request' | 'invalid_scope' | 'invalid_target' | 'invalid_client',
  attempt: (place: AttackPlace) => Promise<Attempt> | Attempt,
];

const secret = new TextEncoder().encode('x'.repeat(32));
const { privateKey } = generateKeyPairSync('ed25519');
const jwt = (token: string) => new SignJWT(decodeJwt(token));

function changed(token: string, claims: object): string {
  const [header, , signature] = token.split('.');
  const body = Buffer.from(JSON.stringify({ ...decodeJwt(token), ...claims }));
  return `${header}.${body.toString('base64url')}.${signature}`;
}

const forged: readonly Attack[] = [
  ['a text', 'invalid_request', () => ({ subject: 'x' })],
  ['a secret', 'invalid_request', ({ agent }) => ({ subject: agent.text })],
  ['an API key', 'invalid_request', ({ customer }) => ({ subject: customer.text })],
  [
    'no algorithm',
    'invalid_request',
    async (place) => ({
      subject: new UnsecuredJWT(decodeJwt(await place.subject())).encode(),
    }),
  ],
  [
    'an HMAC',
    'invalid_request',
    async (place) => ({
      subject: await jwt(await place.subject())
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
        .sign(secret),
    }),
  ],
  [
    'the key of a stranger',
    'invalid_request',
    async (place) => ({
      subject: await jwt(await place.subject())
        .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: await place.kid() })
        .sign(privateKey),
    }),
  ],
  [
    'more scopes in the payload',
    'invalid_request',
    async (place) => ({ subject: changed(await place.subject(), { scope: 'admin:write' }) }),
  ],
  [
    'another subject in the payload',
    'invalid_request',
    async (place) => ({ subject: changed(await place.subject(), { sub: place.stranger.ownerId }) }),
  ],
  [
    'no signature',
    'invalid_request',
    async (place) => ({ subject: (await place.subject()).replace(/[^.]+$/, '') }),
  ],
];

const dead: readonly Attack[] = [
  [
    'an expired token',
    'invalid_request',
    async ({ app, customer }) => ({
      subject: await signToken(app, {
        ...{ type: 'customer', sub: customer.ownerId, keyId: customer.credentialId },
        ...{ scope: scopes, accounts: ['acc_1'], lifetimeSeconds: 0 },
      }),
    }),
  ],
  [
    'a revoked token',
    'invalid_request',
    async (place) => ({ subject: await place.revoked(await place.subject()) }),
  ],
  [
    'a token whose parent was revoked',
    'invalid_request',
    async (place) => {
      const parent = await place.subject();
      const subject = await exchangedToken(place.app, place.second, parent);
      await place.revoked(parent);
      return { subject };
    },
  ],
  [
    'a token whose actor token was revoked',
    'invalid_request',
    async (place) => {
      const { app, second } = place;
      const own = await ownToken(app, second, scopes);
      const subject = await exchangedToken(app, second, await place.subject(), actorFields(own));
      await place.revoked(own);
      return { subject };
    },
  ],
  [
    'a token of a disabled customer',
    'invalid_request',
    async (place) => {
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
  ],
  [
    'a token of a revoked key',
    'invalid_request',
    async (place) => {
      const own = await addCustomer(place.app.inside.db, scopes, { accounts: ['acc_1'] });
      const subject = await customerToken(place.app, own);
      await place.change((trx) => revoke(trx, own.credentialId));
      return { subject };
    },
  ],
  [
    'a token of a disabled actor',
    'invalid_request',
    async (place) => {
      const actor = await addClient(place.app.inside.db, scopes, { mayAct: ['customer'] });
      const subject = await exchangedToken(place.app, actor, await place.subject());
      await place.disable(actor);
      return { subject };
    },
  ],
  [
    'a disabled client',
    'invalid_client',
    async (place) => {
      const client = await addClient(place.app.inside.db, scopes, { mayAct: ['customer'] });
      await place.disable(client);
      return { client };
    },
  ],
  [
    'a wrong secret',
    'invalid_client',
    ({ agent, stranger }) => ({ client: { ...agent, text: stranger.text } }),
  ],
  [
    'an actor token that was revoked',
    'invalid_request',
    async (place) => {
      const own = await ownToken(place.app, place.agent, scopes);
      return { form: actorFields(await place.revoked(own)) };
    },
  ],
];

const actors: readonly Attack[] = [
  ['a client without may_act', 'invalid_request', ({ stranger }) => ({ client: stranger })],
  [
    'a client that may act for others',
    'invalid_request',
    async ({ app, stranger }) => ({
      client: await addClient(app.inside.db, scopes, {
        mayAct: ['service', 'member', 'staff', stranger.ownerId],
      }),
    }),
  ],
  [
    'the own token of the client',
    'invalid_request',
    async ({ app, agent }) => ({ subject: await ownToken(app, agent, scopes) }),
  ],
  [
    'a loop of one client',
    'invalid_request',
    async (place) => ({
      subject: await exchangedToken(place.app, place.agent, await place.subject()),
    }),
  ],
  [
    'a loop of two clients',
    'invalid_request',
    async (place) => {
      const first = await exchangedToken(place.app, place.agent, await place.subject());
      return { subject: await exchangedToken(place.app, place.second, first) };
    },
  ],
  [
    'a loop back to the subject',
    'invalid_request',
    async ({ app, agent, second }) => {
      const own = await ownToken(app, agent, scopes);
      return { subject: await exchangedToken(app, second, own) };
    },
  ],
  [
    'a sixth actor',
    'invalid_request',
    async (place) => {
      let subject = await place.subject();
      for (let count = 0; count < 5; count++) {
        const actor = await addClient(place.app.inside.db, scopes, { mayAct: ['customer'] });
        subject = await exchangedToken(place.app, actor, subject);
      }
      return { subject };
    },
  ],
  [
    'the actor token of another client',
    'invalid_request',
    async ({ app, second }) => ({ form: actorFields(await ownToken(app, second, scopes)) }),
  ],
  [
    'the actor token of a customer',
    'invalid_request',
    async (place) => ({ form: actorFields(await place.subject()) }),
  ],
  [
    'an exchanged token of the client as its own',
    'invalid_request',
    async (place) => ({
      form: actorFields(await exchangedToken(place.app, place.agent, await place.subject())),
    }),
  ],
];

const wider: readonly Attack[] = [
  ['a scope that only the client has', 'invalid_scope', () => ({ form: { scope: 'client:read' } })],
  [
    'a scope that only the customer has',
    'invalid_scope',
    async ({ app, customer }) => ({
      client: await addClient(app.inside.db, 'payments:write', { mayAct: [customer.ownerId] }),
      form: { scope: 'payments:read' },
    }),
  ],
  ['one scope too many', 'invalid_scope', () => ({ form: { scope: `${scopes} other:read` } })],
  [
    'a scope that the actor token lacks',
    'invalid_scope',
    async ({ app, agent }) => ({
      form: {
        ...actorFields(await ownToken(app, agent, 'payments:read')),
        scope: 'payments:write',
      },
    }),
  ],
  [
    'a scope that an earlier exchange removed',
    'invalid_scope',
    async (place) => ({
      subject: await exchangedToken(place.app, place.second, await place.subject(), {
        scope: 'payments:read',
      }),
      form: { scope: 'payments:write' },
    }),
  ],
  [
    'no scope in common',
    'invalid_scope',
    async ({ app }) => ({
      client: await addClient(app.inside.db, 'client:read', { mayAct: ['customer'] }),
    }),
  ],
  ['a malformed scope', 'invalid_scope', () => ({ form: { scope: 'payments' } })],
  ['a foreign account', 'invalid_request', () => ({ form: { accounts: 'acc_9' } })],
  ['an account too many', 'invalid_request', () => ({ form: { accounts: 'acc_1 acc_9' } })],
  [
    'an account that an earlier exchange removed',
    'invalid_request',
    async (place) => ({
      subject: await exchangedToken(place.app, place.second, await place.subject(), {
        accounts: 'acc_1',
      }),
      form: { accounts: 'acc_2' },
    }),
  ],
  [
    'accounts of a client',
    'invalid_request',
    async ({ app, stranger, all }) => ({
      client: all,
      subject: await ownToken(app, stranger, scopes),
      form: { accounts: 'acc_1' },
    }),
  ],
  [
    'another audience that the client has',
    'invalid_target',
    async ({ app, audienceId }) => ({
      client: await addClient(app.inside.db, scopes, {
        ...{ mayAct: ['customer'], audienceIds: [audienceId] },
      }),
      form: { resource: audience },
    }),
  ],
  [
    'the audience of a client for other audiences',
    'invalid_target',
    async ({ app, audienceId }) => ({
      client: await addClient(app.inside.db, scopes, {
        ...{ mayAct: ['customer'], audienceIds: [audienceId] },
      }),
    }),
  ],
  [
    'an unknown audience',
    'invalid_target',
    () => ({ form: { resource: 'https://unknown.example' } }),
  ],
  ['the parameter audience', 'invalid_target', () => ({ form: { audience } })],
];

const idToken = 'urn:ietf:params:oauth:token-type:id_token';

const malformed: readonly Attack[] = [
  ['no subject token', 'invalid_request', () => ({ subject: '' })],
  ['no type', 'invalid_request', () => ({ form: { subject_token_type: '' } })],
  ['another type', 'invalid_request', () => ({ form: { subject_token_type: idToken } })],
  [
    'an actor token without a type',
    'invalid_request',
    async ({ app, agent }) => ({ form: { actor_token: await ownToken(app, agent, scopes) } }),
  ],
  [
    'a type without an actor token',
    'invalid_request',
    () => ({ form: { actor_token_type: accessTokenType } }),
  ],
  [
    'a refresh token in return',
    'invalid_request',
    () => ({ form: { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' } }),
  ],
  [
    'two subject tokens',
    'invalid_request',
    async (place) => ({
      form: { subject_token: [await place.subject(), await place.subject()] },
    }),
  ],
  [
    'two scopes',
    'invalid_request',
    () => ({ form: { scope: ['payments:read', 'payments:write'] } }),
  ],
  ['two resources', 'invalid_request', () => ({ form: { resource: [audience, audience] } })],
  ['two lists of accounts', 'invalid_request', () => ({ form: { accounts: ['acc_1', 'acc_2'] } })],
  ['a giant token', 'invalid_request', () => ({ subject: 'x'.repeat(16_385) })],
  [
    'a subject token with client credentials',
    'invalid_request',
    () => ({ form: { grant_type: 'client_credentials', scope: scopes } }),
  ],
];

export const exchangeAttacks = [...forged, ...dead, ...actors, ...wider, ...malformed];
