// Tokens with a valid signature that are for another time, service, client or workload.
import { signAssertion } from '../../support/client-keys.ts';
import type { AttackPlace, Attacks } from './attack-place.ts';

const unmatched = 'No federated identity of the client matches the assertion.';
const audience = 'The aud of the assertion is not the audience of the issuer alone.';
const notYet = 'The assertion is not valid yet.';
const hour = 'The assertion lives longer than an hour.';
const noIssuer = 'No trusted issuer has the iss of the assertion.';
const expired = 'The assertion has expired or has no exp.';
const wrongType = 'The assertion has a member of a wrong type.';
const noClient = 'The client is disabled or does not exist.';

const now = () => Math.floor(Date.now() / 1000);

type Changed = Readonly<Record<string, unknown>>;

const signed = (changed: Changed | ((place: AttackPlace) => Changed)) => (place: AttackPlace) =>
  place.signed(typeof changed === 'function' ? changed(place) : changed);

/** Signed without a library that checks the types of claims. */
const signedRaw = (changed: () => Changed) => (place: AttackPlace) =>
  place.signedTexts('{"alg":"RS256","kid":"first"}', JSON.stringify(place.payload(changed())));

const forClient = (clientId: string) => async (place: AttackPlace) => ({
  ...(await place.signed({})),
  clientId,
});

export const stolenTokens: Attacks = {
  [expired]: {
    'an expired token': signed(() => ({ exp: now() - 1 })),
    'no exp': signed({ exp: undefined }),
    'an exp that is a text': signedRaw(() => ({ exp: `${now() + 60}` })),
  },
  [notYet]: {
    'an nbf in the future': signed(() => ({ nbf: now() + 120 })),
    'an iat in the future': signed(() => ({ iat: now() + 120 })),
    'an iat that is a text': signedRaw(() => ({ iat: '1' })),
  },
  'The assertion lives longer than 3630 seconds.': {
    'a life of two hours': signed(() => ({ exp: now() + 7_200 })),
  },
  [hour]: {
    'the rest of a life of a year': signed(() => ({ iat: now() - 31_000_000, exp: now() + 600 })),
    'a long life without iat': signed(() => ({ iat: undefined, exp: now() + 3_620 })),
  },
  [audience]: {
    'another audience': signed({ aud: 'https://github.com/octo-org' }),
    'the audience with a slash': signed(({ publicUrl }) => ({ aud: `${publicUrl}/` })),
    'the token endpoint': signed(({ publicUrl }) => ({ aud: `${publicUrl}/tokens` })),
    'a list with another audience': signed(({ publicUrl }) => ({
      aud: [publicUrl, 'https://example.com'],
    })),
    'an empty list': signed({ aud: [] }),
    'no audience': signed({ aud: undefined }),
  },
  [wrongType]: {
    'a list within a list': signed(({ publicUrl }) => ({ aud: [[publicUrl]] })),
    'a subject that is a list': signed({ sub: ['repo:octo-org/octo-repo:environment:production'] }),
    'an issuer that is a list': signed(({ issuer }) => ({ iss: [issuer.url] })),
  },
  'The assertion has no sub.': { 'no sub': signed({ sub: undefined }) },
  [unmatched]: {
    'the subject of another organization': signed({
      sub: 'repo:eve/octo-repo:environment:production',
    }),
    'a wildcard across segments': signed({ sub: 'repo:octo-org/octo-x/y:environment:production' }),
    'a wildcard across a colon': signed({ sub: 'repo:octo-org/octo-x:y:environment:production' }),
    'a wildcard for nothing': signed({ sub: 'repo:octo-org/octo-:environment:production' }),
    'a subject with one more segment': signed({
      sub: 'repo:octo-org/octo-repo:environment:production:x',
    }),
    'a subject with a line break': signed({
      sub: 'repo:octo-org/octo-repo:environment:production\n',
    }),
    'another letter case': signed({ sub: 'repo:Octo-Org/octo-repo:environment:production' }),
    'another branch': signed({ ref: 'refs/heads/main2' }),
    'a claim that is missing': signed({ ref: undefined }),
    'a claim that is a list': signed({ ref: ['refs/heads/main'] }),
    'a claim that is an object': signed({ ref: { toString: 'refs/heads/main' } }),
    'a client with another subject': async (place) => {
      const { issuerId, addClient } = place;
      return forClient(await addClient(issuerId, 'repo:octo-org/other'))(place);
    },
  },
  'The client has no federated identity of the issuer.': {
    'a client without an identity of the issuer': async (place) => {
      const { trust, issuer, addClient } = place;
      const other = await trust({ issuer: 'urn:other', jwks: issuer.jwks() });
      return forClient(await addClient(other))(place);
    },
  },
  'A token of a trusted issuer requires a client_id.': { 'no client id': forClient('') },
  [noClient]: {
    'an unknown client': forClient('cli_0123456789012345678901'),
    'a client id that is not one': forClient('__proto__'),
  },
  [noIssuer]: {
    'an unknown issuer': signed({ iss: 'https://issuer.example' }),
    'the issuer with a slash': signed(({ issuer }) => ({ iss: `${issuer.url}/` })),
    'this service as the issuer': signed(({ publicUrl }) => ({ iss: publicUrl })),
  },
  'No live key of the client signed the assertion.': {
    'a client as the issuer': async ({ issuer, clientId, publicUrl }) => {
      const { privateKey } = issuer.pair;
      return { assertion: await signAssertion(privateKey, clientId, publicUrl, { alg: 'RS256' }) };
    },
  },
};
