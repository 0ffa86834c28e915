// An OpenID provider on a loopback port that answers as a test scripts it, also like an attacker.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export type Script = {
  /** Replace members of the metadata; undefined removes one. */
  metadata: Readonly<Record<string, unknown>>;
  /** The ID token that the token endpoint returns. */
  idToken: (claims: JWTPayload) => Promise<string> | string;
  /** The claims of the next ID token; undefined removes one. */
  claims: Readonly<Record<string, unknown>>;
  userInfo: Readonly<Record<string, unknown>>;
  /** Answers the token endpoint instead. */
  token: ((response: ServerResponse) => Promise<void> | void) | undefined;
};

export type ScriptedProvider = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly script: Script;
  /** The requests so far: the path, and the body of a form. */
  readonly requests: { readonly path: string; readonly body: URLSearchParams }[];
  /** Restores the honest behaviour. */
  reset(): void;
  sign(claims: JWTPayload, header?: Readonly<Record<string, string>>): Promise<string>;
  close(): Promise<void>;
};

export const defined = (object: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', use: 'sig', alg: 'RS256' };
  const clientId = 'latchkey';
  const clientSecret = 'a secret of 32 characters or more';
  const requests: ScriptedProvider['requests'] = [];
  const sign: ScriptedProvider['sign'] = (claims, header = {}) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
      .sign(privateKey);
  const honest = (): Script => ({
    metadata: {},
    idToken: (claims) => sign(claims),
    claims: {},
    userInfo: {},
    token: undefined,
  });
  const script = honest();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = new URLSearchParams(await textOf(request));
    const { pathname } = new URL(request.url ?? '/', issuer);
    requests.push({ path: pathname, body });
    const send = (value: object, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    switch (pathname) {
      case '/.well-known/openid-configuration':
        return send(
          defined({
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
            userinfo_endpoint: `${issuer}/userinfo`,
            jwks_uri: `${issuer}/jwks`,
            response_types_supported: ['code'],
            subject_types_supported: ['public'],
            id_token_signing_alg_values_supported: ['RS256'],
            authorization_response_iss_parameter_supported: true,
            ...script.metadata,
          }),
        );
      case '/jwks':
        return send({ keys: [jwk] });
      case '/userinfo':
        return send({ ...script.userInfo });
      case '/token': {
        if (script.token !== undefined) return void (await script.token(response));
        const time = Math.floor(Date.now() / 1000);
        const claims = { iss: issuer, aud: clientId, iat: time, exp: time + 300, ...script.claims };
        const idToken = await script.idToken(defined(claims));
        return send({ access_token: 'token', token_type: 'Bearer', id_token: idToken });
      }
      default:
        return send({}, 404);
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ issuer, clientId, clientSecret, script, requests, sign },
    reset: () => Object.assign(script, honest()),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers after the service has lost patience. */
export async function answerLate(response: ServerResponse): Promise<void> {
  await sleep(6_000);
  response.end('{}');
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
