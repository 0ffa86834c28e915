// A load that arrives at a given rate, however long the answers take. Every acknowledged write
// enters the ledger.
import { setTimeout as sleep } from 'node:timers/promises';
import { callsTo } from '../../support/campaign-calls.ts';
import type { Access, Ledger } from '../../support/ledger.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { sha256 } from '../../support/sharing-api.ts';
import type { Fleet } from '../fleet.ts';
import { openGrpc } from './grpc.ts';
import { openHttp } from './http.ts';
import { createReads, type KeptDocument } from './reads.ts';
import { createTally, type Tally } from './tally.ts';

const tickMs = 5;
const unansweredMax = 3000;
/** Shorter than the lifetime of a token. */
const accessMs = 60_000;

export type LoadOptions = {
  readonly fleet: Fleet;
  readonly ledger: Ledger;
  readonly random: SeededRandom;
  readonly requestsPerSecond: number;
  /** The part of the requests that are writes. */
  readonly writes: number;
  /** The load rises to its rate within this time, because new processes run slow code at first. */
  readonly rampSeconds?: number;
};

export type Load = {
  readonly tally: Tally;
  /** Stops sending, and waits for the answers. */
  stop(): Promise<void>;
};

export async function startLoad(options: LoadOptions): Promise<Load> {
  const { fleet, ledger, random, requestsPerSecond, writes, rampSeconds = 0 } = options;
  const tally = createTally();
  const http = openHttp(tally);
  const grpc = openGrpc(fleet.grpcAddress, tally);
  const calls = callsTo(fleet, http.send);
  const key = fleet.env.API_KEY;
  const reads = createReads({ ...options, http, grpc, calls, tally }, await keepDocuments(fleet));

  const session: { access: Access; since: number } = {
    access: await ledger.enter(calls, key),
    since: performance.now(),
  };
  async function renewAccess(): Promise<void> {
    session.since = performance.now();
    session.access = await ledger.enter(calls, key);
  }

  async function uploadByGrpc(): Promise<void> {
    const bytes = random.bytes(1 + random.below(40_000));
    const document = await grpc.upload(bytes, key);
    if (document !== undefined) ledger.expectDocument(document.id, sha256(bytes));
  }
  const { upload, deleteDocument, ...others } = ledger.works;
  const works = [
    // As many uploads as deletions, so that the number of documents stays about the same.
    ...[upload, uploadByGrpc, upload, deleteDocument, deleteDocument, deleteDocument],
    ...Object.values(others),
  ];

  let unanswered = 0;
  async function sendOne(): Promise<void> {
    unanswered++;
    const { access } = session;
    const work = random.chance(writes) ? random.pick(works) : random.pick(reads);
    // A failed request is in the tally; the ledger then knows nothing of its effect.
    await work(access).catch(() => {});
    unanswered--;
  }

  const started = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const seconds = (performance.now() - started) / 1000;
    // The area under a line that rises to the full rate.
    const ramp = Math.min(seconds, rampSeconds);
    const due = requestsPerSecond * (seconds - ramp + (ramp * ramp) / (2 * rampSeconds || 1));
    for (; sent < Math.floor(due); sent++) {
      if (unanswered < unansweredMax) void sendOne();
      else tally.fail('http', 'none', performance.now(), 'not sent: too many wait for an answer');
    }
    if (performance.now() - session.since > accessMs) void renewAccess().catch(() => {});
  }, tickMs);
  return {
    tally,
    async stop() {
      clearInterval(timer);
      while (unanswered > 0) await sleep(20);
      http.close();
      grpc.close();
    },
  };
}

const keptBytes = [100, 10_000, 100_000];

async function keepDocuments(fleet: Fleet): Promise<KeptDocument[]> {
  const { upload } = callsTo(fleet);
  const kept: KeptDocument[] = [];
  for (const size of keptBytes) {
    const bytes = new Uint8Array(size).fill(size % 251);
    const answer = await upload(bytes);
    if (answer?.status !== 201) throw new Error(`no document was stored: ${answer?.status}`);
    kept.push({ id: String(answer.body.id), digest: sha256(bytes) });
  }
  return kept;
}
