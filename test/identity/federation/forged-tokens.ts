// Tokens with a wrong signature, header or form.
import { createHmac } from 'node:crypto';
import { jwkOf, keyPairs } from '../../support/client-keys.ts';
import { type AttackPlace, type Attacks, type Attempt, encode } from './attack-place.ts';

const signature = 'The signature is not valid.';
const unknownKey = 'The issuer has no such key for the algorithm.';
const twice = 'The assertion has a member twice.';
const critical = 'The assertion has a critical header.';
const notJwt = 'The assertion is not a JWT.';

const head = '{"alg":"RS256","kid":"first"}';
const stranger = () => keyPairs.RS256();
const bodyOf = ({ payload }: AttackPlace) => JSON.stringify(payload());

/** The body after another value of a member. */
const after = (member: string, place: AttackPlace) => bodyOf(place).replace('{', `{${member},`);

const unsigned = (alg: string) => (place: AttackPlace) => ({
  assertion: `${encode({ alg, kid: 'first' })}.${encode(bodyOf(place))}.`,
});

function hmac(place: AttackPlace, secret: string | Buffer): Attempt {
  const input = `${encode({ alg: 'HS256', kid: 'first' })}.${encode(bodyOf(place))}`;
  const digest = createHmac('sha256', secret).update(input).digest('base64url');
  return { assertion: `${input}.${digest}` };
}

const withHeader = (header: object) => (place: AttackPlace) => place.signed({}, header);

/** Signed by a stranger whose key is where the header says. */
const withStranger = (header: (place: AttackPlace) => object) => (place: AttackPlace) =>
  place.signed({}, header(place), stranger().privateKey);

export const forgedTokens: Attacks = {
  [signature]: {
    'another key': withStranger(() => ({})),
    'a changed payload': async (place) => {
      const [first, , last] = (await place.signed({})).assertion.split('.');
      return { assertion: `${first}.${encode(place.payload({ actor: 'eve' }))}.${last}` };
    },
    'a cut signature': async ({ signed }) => ({
      assertion: (await signed({})).assertion.slice(0, -8),
    }),
    'a key in the header': (place) => {
      const own = stranger();
      return place.signed({}, { jwk: jwkOf(own) }, own.privateKey);
    },
    'a URL of keys': withStranger(({ bait }) => ({ jku: `${bait.url}/jku` })),
    'a URL of a certificate': withStranger(({ bait }) => ({
      x5u: `${bait.url}/x5u`,
      x5c: ['MIIB'],
    })),
  },
  [unknownKey]: {
    'no signature': unsigned('none'),
    'alg none in another case': unsigned('nOnE'),
    'HMAC with the public key as PEM': (place) =>
      hmac(place, place.issuer.pair.publicKey.export({ type: 'spki', format: 'pem' })),
    'HMAC with the public key as JWK': (place) =>
      hmac(place, JSON.stringify(place.issuer.jwks().keys[0])),
    'HMAC with an empty secret': (place) => hmac(place, ''),
    'PS256 with a key for RS256': (place) =>
      place.signedTexts('{"alg":"PS256","kid":"first"}', bodyOf(place)),
    'RS512 with a key for RS256': (place) =>
      place.signedTexts('{"alg":"RS512","kid":"first"}', bodyOf(place)),
    'no alg': (place) => place.signedTexts('{"kid":"first"}', bodyOf(place)),
    'an unknown kid': withHeader({ kid: 'unknown' }),
    'a kid that is a path': withHeader({ kid: '../../../dev/null' }),
    'a kid that is SQL': withHeader({ kid: "' or 1=1 --" }),
    'a kid that is a name of JavaScript': withHeader({ kid: '__proto__' }),
  },
  [critical]: {
    'a critical header': (place) =>
      place.signedTexts('{"alg":"RS256","kid":"first","crit":["exp"],"exp":1}', bodyOf(place)),
    'an unencoded payload': (place) =>
      place.signedTexts('{"alg":"RS256","kid":"first","b64":false,"crit":["b64"]}', bodyOf(place)),
  },
  [twice]: {
    'a header member twice': (place) =>
      place.signedTexts('{"alg":"none","alg":"RS256","kid":"first"}', bodyOf(place)),
    'a sub twice': (place) => place.signedTexts(head, after('"sub":"repo:eve/x"', place)),
    'an aud twice, escaped': (place) => place.signedTexts(head, after('"\\u0061ud":"x"', place)),
  },
  [notJwt]: {
    'a payload that is a list': ({ signedTexts }) => signedTexts(head, '[]'),
    'a payload that is not JSON': ({ signedTexts }) => signedTexts(head, 'x'),
    'an encrypted token': () => ({ assertion: 'a.b.c.d.e' }),
  },
};
