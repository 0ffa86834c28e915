// Tokens with a valid signature that are for another time, service, client or workload.
import { signAssertion } from '../../support/client-keys.ts';
import type { Attack, AttackPlace } from './attack-place.ts';

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

export const stolenTokens: readonly Attack[] = [
  ['an expired token', expired, signed(() => ({ exp: now() - 1 }))],
  ['no exp', expired, signed({ exp: undefined })],
  ['an exp that is a text', expired, signedRaw(() => ({ exp: `${now() + 60}` }))],
  ['an nbf in the future', notYet, signed(() => ({ nbf: now() + 120 }))],
  ['an iat in the future', notYet, signed(() => ({ iat: now() + 120 }))],
  ['an iat that is a text', notYet, signedRaw(() => ({ iat: '1' }))],
  [
    'a life of two hours',
    'The assertion lives longer than 3630 seconds.',
    signed(() => ({ exp: now() + 7_200 })),
  ],
  [
    'the rest of a life of a year',
    hour,
    signed(() => ({ iat: now() - 31_000_000, exp: now() + 600 })),
  ],
  ['a long life without iat', hour, signed(() => ({ iat: undefined, exp: now() + 3_620 }))],
  ['another audience', audience, signed({ aud: 'https://github.com/octo-org' })],
  ['the audience with a slash', audience, signed(({ publicUrl }) => ({ aud: `${publicUrl}/` }))],
  ['the token endpoint', audience, signed(({ publicUrl }) => ({ aud: `${publicUrl}/tokens` }))],
  [
    'a list with another audience',
    audience,
    signed(({ publicUrl }) => ({ aud: [publicUrl, 'https://example.com'] })),
  ],
  ['a list within a list', wrongType, signed(({ publicUrl }) => ({ aud: [[publicUrl]] }))],
  ['an empty list', audience, signed({ aud: [] })],
  ['no audience', audience, signed({ aud: undefined })],
  ['no sub', 'The assertion has no sub.', signed({ sub: undefined })],
  [
    'the subject of another organization',
    unmatched,
    signed({ sub: 'repo:eve/octo-repo:environment:production' }),
  ],
  [
    'a wildcard across segments',
    unmatched,
    signed({ sub: 'repo:octo-org/octo-x/y:environment:production' }),
  ],
  [
    'a wildcard across a colon',
    unmatched,
    signed({ sub: 'repo:octo-org/octo-x:y:environment:production' }),
  ],
  [
    'a wildcard for nothing',
    unmatched,
    signed({ sub: 'repo:octo-org/octo-:environment:production' }),
  ],
  [
    'a subject with one more segment',
    unmatched,
    signed({ sub: 'repo:octo-org/octo-repo:environment:production:x' }),
  ],
  [
    'a subject with a line break',
    unmatched,
    signed({ sub: 'repo:octo-org/octo-repo:environment:production\n' }),
  ],
  [
    'another letter case',
    unmatched,
    signed({ sub: 'repo:Octo-Org/octo-repo:environment:production' }),
  ],
  [
    'a subject that is a list',
    wrongType,
    signed({ sub: ['repo:octo-org/octo-repo:environment:production'] }),
  ],
  ['another branch', unmatched, signed({ ref: 'refs/heads/main2' })],
  ['a claim that is missing', unmatched, signed({ ref: undefined })],
  ['a claim that is a list', unmatched, signed({ ref: ['refs/heads/main'] })],
  ['a claim that is an object', unmatched, signed({ ref: { toString: 'refs/heads/main' } })],
  [
    'a client without an identity of the issuer',
    'The client has no federated identity of the issuer.',
    async (place) => {
      const { trust, issuer, addClient } = place;
      const other = await trust({ issuer: 'urn:other', jwks: issuer.jwks() });
      return forClient(await addClient(other))(place);
    },
  ],
  [
    'a client with another subject',
    unmatched,
    async (place) => {
      const { issuerId, addClient } = place;
      return forClient(await addClient(issuerId, 'repo:octo-org/other'))(place);
    },
  ],
  ['no client id', 'A token of a trusted issuer requires a client_id.', forClient('')],
  ['an unknown client', noClient, forClient('cli_0123456789012345678901')],
  ['a client id that is not one', noClient, forClient('__proto__')],
  ['an unknown issuer', noIssuer, signed({ iss: 'https://issuer.example' })],
  ['the issuer with a slash', noIssuer, signed(({ issuer }) => ({ iss: `${issuer.url}/` }))],
  ['an issuer that is a list', wrongType, signed(({ issuer }) => ({ iss: [issuer.url] }))],
  ['this service as the issuer', noIssuer, signed(({ publicUrl }) => ({ iss: publicUrl }))],
  [
    'a client as the issuer',
    'No live key of the client signed the assertion.',
    async ({ issuer, clientId, publicUrl }) => {
      const { privateKey } = issuer.pair;
      return { assertion: await signAssertion(privateKey, clientId, publicUrl, { alg: 'RS256' }) };
    },
  ],
];
