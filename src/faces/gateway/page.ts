// Answers a request for a page.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Page } from '../../http/page.ts';
import { bareAddress } from '../../rpc/address.ts';
import type { HttpObservation, Routed } from './routed.ts';

export async function answerPage(
  page: Page,
  { requestId, started, variables }: Routed,
  request: FastifyRequest,
  reply: FastifyReply,
  observe: (observation: HttpObservation) => void,
): Promise<FastifyReply> {
  const answer = await page.answer({
    isHead: request.method === 'HEAD',
    peer: bareAddress(request.ip),
    variables: Object.fromEntries(variables),
    form: new URLSearchParams(typeof request.body === 'string' ? request.body : ''),
    header: (name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? value : value?.[0];
    },
  });
  observe({
    name: page.name,
    requestId,
    peer: bareAddress(request.ip),
    status: answer.status,
    failure: answer.failure,
    durationMs: performance.now() - started,
  });
  reply.status(answer.status).headers(answer.headers);
  return request.method === 'HEAD' ? reply.send() : reply.send(answer.body);
}
