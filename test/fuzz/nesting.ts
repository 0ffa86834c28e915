// Deeply nested bodies are refused without blocking the event loop.
import type { Check, Trial } from '../support/campaign.ts';
import { openRawHttp, requestHead } from '../support/raw-http.ts';
import { startTarget, type Target } from './target.ts';

const bodyBytes = 2_000_000;
const stallMsMax = 250;
/**
 * Only the best of these runs counts, because other work of the machine also delays the event loop.
 */
const attempts = 3;

export const nestingCheck: Check = { name: 'nested bodies', secondsMax: [60, 60], run: nest };

/** An unknown field, as a group within a group (protobuf wire types 3 and 4). */
const groups = Buffer.alloc(bodyBytes, 0xfb);
for (let at = 1; at < groups.length; at += 2) groups[at] = 0x7f;

const bodies: Record<string, { readonly type: string; readonly body: Buffer }> = {
  'arrays in JSON': { type: 'application/json', body: Buffer.alloc(bodyBytes, '[') },
  'objects in JSON': { type: 'application/json', body: Buffer.alloc(bodyBytes, '{"a":') },
  'arrays in a known field': {
    type: 'application/json',
    body: Buffer.concat([Buffer.from('{"scope":'), Buffer.alloc(bodyBytes, '[')]),
  },
  'closed arrays in 200 KiB': {
    type: 'application/json',
    body: Buffer.concat([Buffer.alloc(100_000, '['), Buffer.alloc(100_000, ']')]),
  },
  'groups in protobuf': { type: 'application/proto', body: groups },
  'groups in 200 KiB of protobuf': { type: 'application/proto', body: groups.subarray(0, 200_000) },
};
const paths = ['/tokens', '/api/v1/links', '/latchkey.identity.v1.IssuanceService/IssueToken'];

async function nest(trial: Trial): Promise<void> {
  const target = await startTarget(trial);
  await post(target, '/tokens', 'application/json', Buffer.alloc(bodyBytes, '['));
  const before = await target.quiet();
  let worst = 0;
  for (const [name, { type, body }] of Object.entries(bodies)) {
    for (const path of paths) {
      let stallMs = Number.POSITIVE_INFINITY;
      let answer = '';
      for (let i = 0; i < attempts; i++) {
        await target.keep();
        await target.readLag();
        answer = await post(target, path, type, body);
        stallMs = Math.min(stallMs, await target.readLag());
      }
      worst = Math.max(worst, stallMs);
      const what = `${name} to ${path}: ${answer}`;
      if (stallMs > stallMsMax) trial.fail(`${what}: stall of ${Math.round(stallMs)} ms`);
      if (!/^(4\d\d|closed)$/.test(answer)) trial.fail(what);
    }
  }
  await target.expectUnharmed(before);
  trial.figure('longest stall of the best', `${Math.round(worst)} ms`);
}

async function post(target: Target, path: string, type: string, body: Buffer): Promise<string> {
  const connection = await openRawHttp(target.httpPort);
  const head = requestHead('POST', path, {
    Host: 'latchkey.test',
    'Content-Type': type,
    'Content-Length': String(body.length),
    Authorization: `Bearer ${target.program.env.API_KEY}`,
  });
  void connection.write(head);
  void connection.write(body);
  const answer = await connection.response();
  connection.reset();
  return String(answer?.status ?? 'closed');
}
