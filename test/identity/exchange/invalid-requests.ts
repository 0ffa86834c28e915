// Attacks on the token exchange with valid tokens: wrong actors, more than the parties have, and
// malformed requests.
import { addClient } from '../../support/owner-rows.ts';
import { casesOf } from '../../support/rule.ts';
import {
  accessTokenType,
  actorFields,
  exchangedToken,
  ownToken,
} from '../../support/token-exchange.ts';
import { type Attacks, audience, scopes } from './attack-place.ts';

const actors: Attacks = {
  invalid_request: {
    'a client without may_act': ({ stranger }) => ({ client: stranger }),
    'a client that may act for others': async ({ app, stranger }) => ({
      client: await addClient(app.inside.db, scopes, {
        mayAct: ['service', 'member', 'staff', stranger.ownerId],
      }),
    }),
    'the own token of the client': async ({ app, agent }) => ({
      subject: await ownToken(app, agent, scopes),
    }),
    'a loop of one client': async (place) => ({
      subject: await exchangedToken(place.app, place.agent, await place.subject()),
    }),
    'a loop of two clients': async (place) => {
      const first = await exchangedToken(place.app, place.agent, await place.subject());
      return { subject: await exchangedToken(place.app, place.second, first) };
    },
    'a loop back to the subject': async ({ app, agent, second }) => {
      const own = await ownToken(app, agent, scopes);
      return { subject: await exchangedToken(app, second, own) };
    },
    'a sixth actor': async (place) => {
      let subject = await place.subject();
      for (let count = 0; count < 5; count++) {
        const actor = await addClient(place.app.inside.db, scopes, { mayAct: ['customer'] });
        subject = await exchangedToken(place.app, actor, subject);
      }
      return { subject };
    },
    'the actor token of another client': async ({ app, second }) => ({
      form: actorFields(await ownToken(app, second, scopes)),
    }),
    'the actor token of a customer': async (place) => ({
      form: actorFields(await place.subject()),
    }),
    'an exchanged token of the client as its own': async (place) => ({
      form: actorFields(await exchangedToken(place.app, place.agent, await place.subject())),
    }),
  },
};

const wider: Attacks = {
  invalid_scope: {
    'a scope that only the client has': () => ({ form: { scope: 'client:read' } }),
    'a scope that only the customer has': async ({ app, customer }) => ({
      client: await addClient(app.inside.db, 'payments:write', { mayAct: [customer.ownerId] }),
      form: { scope: 'payments:read' },
    }),
    'one scope too many': () => ({ form: { scope: `${scopes} other:read` } }),
    'a scope that the actor token lacks': async ({ app, agent }) => ({
      form: {
        ...actorFields(await ownToken(app, agent, 'payments:read')),
        scope: 'payments:write',
      },
    }),
    'a scope that an earlier exchange removed': async (place) => ({
      subject: await exchangedToken(place.app, place.second, await place.subject(), {
        scope: 'payments:read',
      }),
      form: { scope: 'payments:write' },
    }),
    'no scope in common': async ({ app }) => ({
      client: await addClient(app.inside.db, 'client:read', { mayAct: ['customer'] }),
    }),
    'a malformed scope': () => ({ form: { scope: 'payments' } }),
  },
  invalid_request: {
    'a foreign account': () => ({ form: { accounts: 'acc_9' } }),
    'an account too many': () => ({ form: { accounts: 'acc_1 acc_9' } }),
    'an account that an earlier exchange removed': async (place) => ({
      subject: await exchangedToken(place.app, place.second, await place.subject(), {
        accounts: 'acc_1',
      }),
      form: { accounts: 'acc_2' },
    }),
    'accounts of a client': async ({ app, stranger, all }) => ({
      client: all,
      subject: await ownToken(app, stranger, scopes),
      form: { accounts: 'acc_1' },
    }),
  },
  invalid_target: {
    'another audience that the client has': async ({ app, audienceId }) => ({
      client: await addClient(app.inside.db, scopes, {
        ...{ mayAct: ['customer'], audienceIds: [audienceId] },
      }),
      form: { resource: audience },
    }),
    'the audience of a client for other audiences': async ({ app, audienceId }) => ({
      client: await addClient(app.inside.db, scopes, {
        ...{ mayAct: ['customer'], audienceIds: [audienceId] },
      }),
    }),
    'an unknown audience': () => ({ form: { resource: 'https://unknown.example' } }),
    'the parameter audience': () => ({ form: { audience } }),
  },
};

const idToken = 'urn:ietf:params:oauth:token-type:id_token';

const malformed: Attacks = {
  invalid_request: {
    'no subject token': () => ({ subject: '' }),
    'no type': () => ({ form: { subject_token_type: '' } }),
    'another type': () => ({ form: { subject_token_type: idToken } }),
    'an actor token without a type': async ({ app, agent }) => ({
      form: { actor_token: await ownToken(app, agent, scopes) },
    }),
    'a type without an actor token': () => ({ form: { actor_token_type: accessTokenType } }),
    'a refresh token in return': () => ({
      form: { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
    }),
    'two subject tokens': async (place) => ({
      form: { subject_token: [await place.subject(), await place.subject()] },
    }),
    'two scopes': () => ({ form: { scope: ['payments:read', 'payments:write'] } }),
    'two resources': () => ({ form: { resource: [audience, audience] } }),
    'two lists of accounts': () => ({ form: { accounts: ['acc_1', 'acc_2'] } }),
    'a giant token': () => ({ subject: 'x'.repeat(16_385) }),
    'a subject token with client credentials': () => ({
      form: { grant_type: 'client_credentials', scope: scopes },
    }),
  },
};

export const invalidRequests = [actors, wider, malformed].flatMap(casesOf);
