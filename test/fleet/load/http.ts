// HTTP requests over kept connections, and counts of their answers.
import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { CampaignAnswer, RequestParts, Send } from '../../support/campaign-calls.ts';
import type { Tally } from './tally.ts';

const timeoutMs = 20_000;

export type HttpAnswer = CampaignAnswer & { readonly bytes: Buffer };

export type HttpClient = {
  /** Undefined if no complete answer arrived. */
  send(url: string, request: RequestParts): Promise<HttpAnswer | undefined>;
  close(): void;
};

/** Without a tally, requests are not counted. */
export function openHttp(tally?: Tally, agent = new Agent({ keepAlive: true })): HttpClient {
  async function send(url: string, parts: RequestParts): Promise<HttpAnswer | undefined> {
    const { method, headers, body } = await encode(parts);
    const sentAt = performance.now();
    const action = `${method} ${new URL(url).pathname.replace(/_[0-9A-Za-z]{22}/g, '')}`;
    try {
      const answer = await exchange(agent, url, { method, headers }, body);
      tally?.count('http', action, sentAt, failureOf(answer));
      return answer;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      tally?.count('http', action, sentAt, `no answer: ${code ?? message}`);
      return undefined;
    }
  }
  return { send: send satisfies Send, close: () => agent.destroy() };
}

type Head = { readonly method: string; readonly headers: Record<string, string> };

/** A form becomes bytes with their content type. */
async function encode({ method, headers, body }: RequestParts) {
  if (!(body instanceof FormData)) return { method, headers, body };
  const encoded = new Response(body);
  const type = encoded.headers.get('content-type') ?? '';
  const bytes = Buffer.from(await encoded.arrayBuffer());
  return { method, headers: { ...headers, 'content-type': type }, body: bytes };
}

function exchange(agent: Agent, url: string, head: Head, body: Buffer | string | undefined) {
  return new Promise<HttpAnswer>((resolve, reject) => {
    const length = { 'content-length': Buffer.byteLength(body ?? '') };
    const sent = request(url, { agent, ...head, headers: { ...head.headers, ...length } });
    const timer = setTimeout(() => sent.destroy(new Error('timed out')), timeoutMs);
    sent.once('error', reject);
    sent.once('response', (response) => {
      buffer(response).then((bytes) => {
        const isJson = response.headers['content-type']?.includes('json') ?? false;
        resolve({
          status: response.statusCode ?? 0,
          body: isJson ? JSON.parse(bytes.toString()) : {},
          retryAfterSeconds: Number(response.headers['retry-after'] ?? 0),
          bytes,
        });
      }, reject);
    });
    sent.once('close', () => clearTimeout(timer));
    sent.end(body);
  });
}

/** The writes of the load may refer to what another write has just removed. */
const refused = new Set([404, 409]);

function failureOf({ status, body, retryAfterSeconds }: HttpAnswer): string | undefined {
  if (status < 400 || refused.has(status)) return undefined;
  const code = String(body.code ?? 'without a code');
  if (status === 503 && retryAfterSeconds === 0) return `503 ${code} without Retry-After`;
  // The detail differs between a node and HAProxy.
  return `${status} ${code}: ${String(body.detail).slice(0, 50)}`;
}
