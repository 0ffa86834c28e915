// Verifiers that cannot do EdDSA, or are set up by discovery, with tokens of a real server.
import express, { type Express, type RequestHandler } from 'express';
import { auth } from 'express-oauth2-jwt-bearer';
import jsonwebtoken from 'jsonwebtoken';
import { JwksClient, passportJwtSecret } from 'jwks-rsa';
import passport from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { beforeAll, expect, onTestFinished } from 'vitest';
import { describeAppOnSqlite } from '../support/app-suite.ts';
import { itHoldsFor, product } from '../support/rule.ts';
import { addSigningAudience, type SigningAudience } from '../support/signing-audiences.ts';

const chosen = ['ES256', 'RS256'] as const;

type Chosen = (typeof chosen)[number];

type Settings = {
  readonly issuer: string;
  readonly jwksUri: string;
  readonly audience: string;
  readonly alg: Chosen;
};

/** Returns whether a verifier accepts a token. */
type Verify = (token: string, settings: Settings) => Promise<boolean>;

/** Whether a server with this middleware answers 200, where it answers 401 otherwise. */
async function isAccepted(token: string, middleware: RequestHandler): Promise<boolean> {
  const app: Express = express();
  app.get('/', middleware, (_request, response) => void response.send('ok'));
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const headers = { authorization: `Bearer ${token}` };
  const { status } = await fetch(`http://127.0.0.1:${port}/`, { headers });
  if (status !== 200 && status !== 401) throw new Error(`the status is ${status}`);
  return status === 200;
}

const verifiers: [string, Verify][] = [
  [
    'jsonwebtoken with jwks-rsa',
    async (token, { issuer, jwksUri, audience, alg }) => {
      const client = new JwksClient({ jwksUri });
      const kid = jsonwebtoken.decode(token, { complete: true })?.header.kid;
      const key = await client.getSigningKey(kid);
      try {
        jsonwebtoken.verify(token, key.getPublicKey(), { algorithms: [alg], audience, issuer });
        return true;
      } catch (error) {
        if (error instanceof jsonwebtoken.JsonWebTokenError) return false;
        throw error;
      }
    },
  ],
  [
    'passport-jwt with jwks-rsa',
    (token, { issuer, jwksUri, audience, alg }) => {
      const own = new passport.Passport();
      const options = {
        jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
        secretOrKeyProvider: passportJwtSecret({ jwksUri }),
        ...{ issuer, audience, algorithms: [alg] },
      };
      own.use(new Strategy(options, (claims, done) => done(null, { id: claims.sub })));
      return isAccepted(token, own.authenticate('jwt', { session: false }));
    },
  ],
  [
    'express-oauth2-jwt-bearer by discovery',
    (token, { issuer, audience, alg }) =>
      isAccepted(
        token,
        auth({ issuerBaseURL: issuer, audience, tokenSigningAlg: alg, strict: true }),
      ),
  ],
  [
    'express-oauth2-jwt-bearer by discovery, with every published algorithm',
    (token, { issuer, audience }) => isAccepted(token, auth({ issuerBaseURL: issuer, audience })),
  ],
];

describeAppOnSqlite('a verifier of others', (suite) => {
  const audiences = new Map<string, SigningAudience>();
  beforeAll(async () => {
    for (const alg of ['EdDSA', ...chosen] as const) {
      audiences.set(alg, await addSigningAudience(suite.app, suite.transport('http'), alg));
    }
  });
  const audienceOf = (alg: string): SigningAudience => {
    const audience = audiences.get(alg);
    if (audience === undefined) throw new Error('there is no audience');
    return audience;
  };

  itHoldsFor(product(verifiers, chosen), 8)('accepts our tokens', async (_, verify, alg) => {
    const issuer = suite.app.publicUrl;
    const { identifier, issue } = audienceOf(alg);
    const jwksUri = `${issuer}/.well-known/jwks.json`;
    const settings = { issuer, jwksUri, audience: identifier, alg };
    const token = await issue();
    const [header = '', payload = '', signature = ''] = token.split('.');
    expect(await verify(token, settings)).toBe(true);
    const altered = [header, payload, signature.replace(/^./, (c) => (c === 'A' ? 'B' : 'A'))];
    expect(await verify(altered.join('.'), settings), 'altered').toBe(false);
    const other = await audienceOf(alg === 'ES256' ? 'RS256' : 'ES256').issue();
    expect(await verify(other, settings), 'of another audience').toBe(false);
    expect(await verify(token, { ...settings, audience: 'urn:other' }), 'audience').toBe(false);
  });
});
