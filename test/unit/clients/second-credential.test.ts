import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import fastify from 'fastify';
import { expect, onTestFinished } from 'vitest';
import {
  contextValuesOf,
  requireTokens as requireConnectTokens,
} from '../../../clients/verify/src/connect.ts';
import { noCredential } from '../../../clients/verify/src/errors.ts';
import { requireToken } from '../../../clients/verify/src/express.ts';
import { requireTokens } from '../../../clients/verify/src/fastify.ts';
import type { Verifier } from '../../../clients/verify/src/verifier.ts';
import { VerificationService } from '../../../gen/latchkey/identity/v1/verification_pb.js';
import { itHoldsFor } from '../../support/rule.ts';

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

async function startConnect(): Promise<number> {
  const { getJwks } = VerificationService.method;
  const interceptors = [requireConnectTokens(verifier, () => ({ scope: [] }))];
  const routes = ({ rpc }: ConnectRouter) => rpc(getJwks, () => ({}), { interceptors });
  const server = createServer(connectNodeAdapter({ routes, contextValues: contextValuesOf }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function startFastify(): Promise<number> {
  const app = fastify();
  await app.register(requireTokens, { verifier });
  app.post('/*', { config: { access: { scope: [] } } }, async () => 'accepted');
  onTestFinished(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

async function statusOf(port: number, authorization: string[]): Promise<number | undefined> {
  const headers = authorization.flatMap((text) => ['Authorization', text]);
  const { getJwks } = VerificationService.method;
  const path = `/${getJwks.parent.typeName}/${getJwks.name}`;
  const json = ['Content-Type', 'application/json', 'Content-Length', '2'];
  const sent = request({
    ...{ host: '127.0.0.1', port, method: 'POST', path },
    headers: ['Host', 'localhost', ...json, ...headers],
  });
  const answered = once(sent, 'response');
  sent.end('{}');
  const [{ statusCode }] = await answered;
  return statusCode;
}

itHoldsFor([
  ['Express', startExpress],
  ['Fastify', startFastify],
  ['Connect', startConnect],
])('each framework refuses a request with two credentials', async (_name, start) => {
  const port = await start();
  expect(await statusOf(port, ['Bearer a'])).toBe(200);
  expect(await statusOf(port, ['Bearer a', 'Bearer b'])).toBe(401);
  expect(await statusOf(port, ['Bearer a', 'Bearer a'])).toBe(401);
  expect(await statusOf(port, [])).toBe(401);
});
