import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { noCredential } from '../../../clients/verify/src/errors.ts';
import { requireToken } from '../../../clients/verify/src/express.ts';
import { requireTokens } from '../../../clients/verify/src/fastify.ts';
import type { Verifier } from '../../../clients/verify/src/verifier.ts';

/** Returns the claims of any credential, whose text is the subject. */
const verifyRequest: Verifier['verifyRequest'] = async ({ authorization }) => {
  if (!authorization) throw noCredential();
  return { sub: authorization, scope: '', principal_type: 'service' } as never;
};
const verifier = { verifyRequest, baseUrl: undefined } as Verifier;

async function startExpress(): Promise<number> {
  const guard = requireToken(verifier, { scope: [] });
  const server = createServer((one, answer) => guard(one, answer, () => answer.end('accepted')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function startFastify(): Promise<number> {
  const app = fastify();
  await app.register(requireTokens, { verifier });
  app.get('/', { config: { access: { scope: [] } } }, async () => 'accepted');
  onTestFinished(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

async function statusOf(port: number, authorization: string[]): Promise<number | undefined> {
  const headers = authorization.flatMap((text) => ['Authorization', text]);
  const sent = request({ host: '127.0.0.1', port, headers: ['Host', 'localhost', ...headers] });
  const answered = once(sent, 'response');
  sent.end();
  const [{ statusCode }] = await answered;
  return statusCode;
}

test.each([
  ['Express', startExpress],
  ['Fastify', startFastify],
])('%s refuses a request with two credentials', async (_name, start) => {
  const port = await start();
  expect(await statusOf(port, ['Bearer a'])).toBe(200);
  expect(await statusOf(port, ['Bearer a', 'Bearer b'])).toBe(401);
  expect(await statusOf(port, ['Bearer a', 'Bearer a'])).toBe(401);
  expect(await statusOf(port, [])).toBe(401);
});
