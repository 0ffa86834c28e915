// Attacks on the token exchange with valid tokens: wrong actors, more than the parties have, and
// malformed requests.
import { addClient } from '../../support/owner-rows.ts';
import {
  accessTokenType,
  actorFields,
  exchangedToken,
  ownToken,
} from '../../support/token-exchange.ts';
import { type Attack, audience, scopes } from './attack-place.ts';

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

export const invalidRequests = [...actors, ...wider, ...malformed];
