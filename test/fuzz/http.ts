// Sends generated HTTP requests on many connections and reads every answer.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, Trial } from '../support/campaign.ts';
import { openRawHttp, type RawHttp, type RawResponse } from '../support/raw-http.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { partsRequest } from './parts.ts';
import { type Context, type FuzzRequest, routeRequest, rpcRequest } from './requests.ts';
import { startTarget, type Target } from './target.ts';
import { undeclaredCompression } from './undeclared-compression.ts';

const lanes = 24;
const answerMs = 10_000;

export const httpChecks: readonly Check[] = [
  {
    name: 'HTTP requests to every route',
    secondsMax: [60, 600],
    run: (trial) => fuzz(trial, routeRequest, [6_000, 120_000]),
  },
  {
    name: 'Connect and gRPC-Web requests to every method',
    secondsMax: [60, 600],
    run: (trial) => fuzz(trial, rpcRequest, [4_000, 80_000]),
  },
  {
    name: 'multipart bodies',
    secondsMax: [60, 300],
    run: (trial) => fuzz(trial, partsRequest, [2_000, 20_000]),
  },
];

type Generate = (context: Context) => FuzzRequest;

async function fuzz(trial: Trial, generate: Generate, counts: readonly [number, number]) {
  const target = await startTarget(trial);
  const statuses = new Map<string, number>();
  await send(trial, target, generate, 1_500, new Map());
  const before = await target.quiet();
  const count = counts[trial.isShort ? 0 : 1];
  await send(trial, target, generate, count, statuses);
  await target.expectUnharmed(before);
  const answers = [...statuses].sort().map(([status, number]) => `${number}×${status}`);
  trial.figure('requests', count);
  trial.figure('answers', answers.join(' '));
}

async function send(
  trial: Trial,
  target: Target,
  generate: Generate,
  count: number,
  statuses: Map<string, number>,
): Promise<void> {
  let next = 0;
  async function lane(): Promise<void> {
    let connection: RawHttp | undefined;
    while (next < count) {
      // Seeded by the request's number, so that a seed yields the same requests in any order of the
      // lanes.
      const random = seededRandom(trial.seed + next++);
      await target.keep();
      connection ??= await openRawHttp(target.httpPort);
      const { ids, program } = target;
      const credential = target.credential(random);
      const request = generate({ random, ids, credential, apiKey: program.env.API_KEY });
      const answer = await exchange(connection, request);
      const what = answer === 'late' ? 'late' : String(answer?.status ?? 'closed');
      statuses.set(what, (statuses.get(what) ?? 0) + 1);
      if (answer === 'late') trial.fail(`no answer in ${answerMs} ms`, show(request));
      else if (isInternal(answer)) {
        trial.fail(`${what}: ${reasonOf(answer)}`, show(request));
      }
      if (isLast(request, answer)) {
        connection.reset();
        connection = undefined;
      }
    }
    connection?.reset();
  }
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function exchange(connection: RawHttp, { bytes, isHead, isBroken }: FuzzRequest) {
  void connection.write(bytes);
  if (isBroken) connection.end();
  const abort = new AbortController();
  const late = sleep(answerMs, 'late' as const, { signal: abort.signal }).catch(
    () => 'late' as const,
  );
  return Promise.race([connection.response(isHead ? 'HEAD' : undefined), late]).finally(() =>
    abort.abort(),
  );
}

/** Over HTTP, in the end of a Connect stream, or in the trailers of gRPC-Web. */
function isInternal(answer: RawResponse | undefined): boolean {
  if (answer === undefined) return false;
  if (answer.status === 500) return true;
  if (isUndeclaredCompression(answer)) return false;
  const grpcStatus = answer.headers.get('grpc-status');
  if (grpcStatus === '13' || grpcStatus === '2') return true;
  const isStream = /grpc|connect\+/.test(answer.headers.get('content-type') ?? '');
  return isStream && /grpc-status: ?(13|2)\b|"code":"(internal|unknown)"/.test(`${answer.body}`);
}

/** The message is percent-encoded in the headers and trailers of gRPC-Web. */
function isUndeclaredCompression({ headers, body }: RawResponse): boolean {
  const encoded = encodeURIComponent(undeclaredCompression);
  const answer = `${headers.get('grpc-message')}${body}`;
  return answer.includes(encoded) || answer.includes(undeclaredCompression);
}

function reasonOf(answer: RawResponse | undefined): string {
  const text = answer?.body.toString() ?? '';
  return text.replace(/"request_id":"[^"]*"|[^ -~]+/g, ' ').slice(0, 300);
}

/** The server may have read a mutated head as another request, or as part of one. */
function isLast({ bytes, isBroken }: FuzzRequest, answer: RawResponse | undefined | 'late') {
  if (isBroken || answer === undefined || answer === 'late' || !answer.complete) return true;
  if (answer.headers.get('connection') === 'close' || answer.status === 400) return true;
  return /^(?:expect|upgrade):|^HEAD/im.test(bytes.toString('latin1', 0, 4000));
}

/** As a JSON string of Latin-1; its token is invalid by then. */
function show({ bytes }: FuzzRequest): string {
  const text = bytes.toString('latin1').replace(/eyJ[\w.-]{100,}/, '<token>');
  return JSON.stringify(text).slice(0, 3000);
}
