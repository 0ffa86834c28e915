// The request id, which connects an answer with its log lines.
import { once } from 'node:events';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { expect, it, onTestFinished } from 'vitest';
import { VerificationService } from '../gen/latchkey/identity/v1/verification_pb.js';
import { describeApp, type Suite } from './support/app-suite.ts';
import { describeTransports } from './support/matrix.ts';

const { verifyToken } = VerificationService.method;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describeApp('the id of a request', (suite) => {
  const sane = ['a', 'A-Z_0.9', 'x'.repeat(128)];
  const insane = ['', ' ', 'a b', 'x'.repeat(129), '<script>', 'a,b', 'ä'];

  it('is accepted if valid, else generated, over HTTP', async () => {
    for (const id of sane) {
      const { response, problem } = await nowhere(suite, id);
      expect(response.headers.get('x-request-id')).toBe(id);
      expect(problem.request_id).toBe(id);
    }
    for (const id of insane) {
      const { response, problem } = await nowhere(suite, id);
      expect(response.headers.get('x-request-id'), id).toMatch(uuid);
      expect(problem.request_id).toBe(response.headers.get('x-request-id'));
    }
  });

  it('is in successful answers, too, over HTTP and Connect', async () => {
    const headers = { 'x-request-id': 'mine', 'content-type': 'application/json' };
    const jwks = await fetch(`${suite.app.publicUrl}/.well-known/jwks.json`, { headers });
    expect(jwks.headers.get('x-request-id')).toBe('mine');
    const service = `${suite.app.publicUrl}/latchkey.identity.v1.VerificationService`;
    const init = { method: 'POST', headers, body: '{}' };
    const connect = await fetch(`${service}/GetJwks`, init);
    expect(connect.status).toBe(200);
    expect(connect.headers.get('x-request-id')).toBe('mine');
  });

  it('is in the metadata over gRPC', async () => {
    const client = new Client(suite.app.grpcAddress, credentials.createInsecure());
    onTestFinished(() => client.close());
    for (const [sent, expected] of [
      ['mine', /^mine$/],
      ['not sane', uuid],
    ] as const) {
      const metadata = new Metadata();
      metadata.set('x-request-id', sent);
      const keep = (bytes: Buffer) => bytes;
      const path = '/latchkey.identity.v1.VerificationService/GetJwks';
      const call = client.makeUnaryRequest(path, keep, keep, Buffer.of(), metadata, () => {});
      const [answered]: Metadata[] = await once(call, 'metadata');
      expect(answered?.get('x-request-id')[0]).toMatch(expected);
    }
  });

  describeTransports(suite, (name) => {
    it('is in an error', async () => {
      for (const [requestId, expected] of [
        ['mine', /^mine$/],
        ['not sane', uuid],
      ] as const) {
        const answer = await suite.transport(name).call(verifyToken, { token: 'x' }, { requestId });
        if (answer.ok) throw new Error('a stranger was let in');
        expect(answer.error.requestId).toMatch(expected);
      }
    });
  });
});

async function nowhere({ app }: Suite, id: string) {
  const headers = { 'x-request-id': id };
  const response = await fetch(`${app.publicUrl}/nowhere`, { headers });
  return { response, problem: (await response.json()) as { request_id: string } };
}
