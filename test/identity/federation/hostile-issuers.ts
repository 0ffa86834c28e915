// Issuers that answer badly, or that must not be trusted for a client.
import { createHmac } from 'node:crypto';
import { jwkOf, keyPairs } from '../../support/client-keys.ts';
import { discoveryPath, gitHubClaims, jwksPath, sendJson } from '../../support/fake-issuer.ts';
import { type AttackPlace, type Attacks, type Attempt, encode } from './attack-place.ts';

const unknownKey = 'The issuer has no such key for the algorithm.';

type Answer = object | string | { readonly redirect: string };
type Answers = (place: AttackPlace, url: string) => Readonly<Record<string, Answer>>;

/** An answer that never comes. */
const silence = 'silence';

/** Trusts an issuer with the given answers, and signs a token as it would. */
const hostile =
  (answers: Answers) =>
  async (place: AttackPlace): Promise<Attempt & { url: string }> => {
    const made = await place.startIssuer();
    for (const [path, answer] of Object.entries(answers(place, made.url))) {
      made.answers.set(path, (request, response) => {
        if (answer === silence) return;
        if (typeof answer === 'object' && 'redirect' in answer) {
          response.writeHead(302, { location: answer.redirect }).end();
        } else sendJson(answer)(request, response);
      });
    }
    const clientId = await place.addClient(await place.trust({ issuer: made.url }));
    const assertion = await made.sign(gitHubClaims(made.url, place.publicUrl));
    return { assertion, clientId, url: made.url };
  };

const keysAt = (jwks_uri: (place: AttackPlace) => unknown) =>
  hostile((place, issuer) => ({ [discoveryPath]: { issuer, jwks_uri: jwks_uri(place) } }));

const keys = (list: (place: AttackPlace) => readonly unknown[]) =>
  hostile((place) => ({ [jwksPath]: { keys: list(place) } }));

const firstKey = ({ issuer }: AttackPlace) => issuer.jwks().keys[0] ?? {};

/** A pinned issuer. */
const pinned =
  (iss: string, fields: (place: AttackPlace) => object, header = {}) =>
  async (place: AttackPlace) => {
    const clientId = await place.addClient(await place.trust({ issuer: iss, ...fields(place) }));
    return { ...(await place.signed({ iss }, header)), clientId };
  };

export const hostileIssuers: Attacks = {
  'The trusted issuer is disabled.': {
    'a disabled issuer': pinned('urn:disabled', ({ issuer }) => ({
      jwks: issuer.jwks(),
      enabled: false,
    })),
  },
  'The assertion does not name its key.': {
    'two keys and no kid': pinned(
      'urn:two-keys',
      (place) => ({
        jwks: { keys: [firstKey(place), { ...jwkOf(keyPairs.RS256()), kid: 'second' }] },
      }),
      { kid: undefined },
    ),
  },
  [unknownKey]: {
    'a discovery document of another issuer': hostile(({ issuer }, url) => ({
      [discoveryPath]: { issuer: issuer.url, jwks_uri: `${url}${jwksPath}` },
    })),
    'keys at a private address': keysAt(() => 'https://10.0.0.1/jwks'),
    'keys at the address of metadata': keysAt(() => 'https://169.254.169.254/jwks'),
    'keys at a mapped address': keysAt(() => 'https://[::ffff:10.0.0.1]/jwks'),
    'keys at this machine': keysAt(({ bait }) => `https://localhost:${bait.port}/a`),
    'keys at a name, over http': keysAt(({ bait }) => `http://localhost:${bait.port}`),
    'keys at another loopback address': keysAt(() => 'http://[::1]/jwks'),
    'keys with a password': keysAt(({ bait }) => `http://a:b@127.0.0.1:${bait.port}`),
    'keys in a file': keysAt(() => 'file:///etc/passwd'),
    'keys at no URL': keysAt(() => ({ toString: 'https://example.com' })),
    'a redirect of the discovery': hostile(({ bait }) => ({
      [discoveryPath]: { redirect: `${bait.url}/discovery` },
    })),
    'a redirect of the keys': hostile(({ bait }) => ({
      [jwksPath]: { redirect: `${bait.url}/keys` },
    })),
    'giant keys': hostile(({ issuer }) => ({
      [jwksPath]: { ...issuer.jwks(), x: 'x'.repeat(70_000) },
    })),
    '51 keys': keys((place) => Array.from({ length: 51 }, () => firstKey(place))),
    'a list instead of a set': hostile(() => ({ [jwksPath]: [1, 2] })),
    'keys that are not objects': keys(() => [null, 7, 'x', []]),
    'keys that are not JSON': hostile(() => ({ [jwksPath]: '<html>' })),
    'a private key among the keys': keys(() => [
      { ...keyPairs.RS256().privateKey.export({ format: 'jwk' }), kid: 'first' },
    ]),
    'a key for encryption': keys((place) => [{ ...firstKey(place), use: 'enc' }]),
    'a symmetric key': async (place) => {
      const symmetric = keys(() => [{ kty: 'oct', kid: 'first', k: 'c2VjcmV0' }]);
      const { clientId = '', url } = await symmetric(place);
      const payload = encode(gitHubClaims(url, place.publicUrl));
      const input = `${encode({ alg: 'HS256', kid: 'first' })}.${payload}`;
      const digest = createHmac('sha256', 'secret').update(input).digest('base64url');
      return { clientId, assertion: `${input}.${digest}` };
    },
    'a silent issuer': hostile(() => ({ [jwksPath]: silence })),
  },
};
