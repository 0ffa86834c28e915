// A node stops inside write transactions, with their locks, and keeps its connections open.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, Trial } from '../../support/campaign.ts';
import { type CampaignAnswer, callsTo, describeAnswer } from '../../support/campaign-calls.ts';
import { type CommitProxy, startCommitProxy } from '../../support/commit-proxy.ts';
import { createLedger, type Ledger } from '../../support/ledger.ts';
import { sha256 } from '../../support/sharing-api.ts';
import type { FleetNode } from '../components/node.ts';
import { waitFor } from '../components/process.ts';
import { type Fleet, startFleet } from '../fleet.ts';
import { seconds } from './shared-fleet.ts';
import { transactionKinds } from './transaction-kinds.ts';

/** The transactions that a node has begun when it stops. */
const transactions = 6;
/** They wait for each other's locks. */
const queuedMs = 300;
/** Longer than the node may hold locks. */
const frozenMs = 7_000;
const probeMs = 50;
const lossSecondsMax = 5;
/** The rounds of the long form, for each way to the database. */
const rounds = 20;
/** The kinds of the short form. */
const shortKinds = ['upload', 'create a client'];

export const frozenNodesCheck: Check = {
  name: 'nodes that stop inside a transaction',
  secondsMax: [300, 900],
  async run(trial) {
    const fleet = await startFleet({ workers: 1 });
    trial.onEnd(fleet.stop);
    const ledger = createLedger(trial.random);
    const direct = await freezeRounds(trial, fleet, ledger, fleet.postgres.url());
    const pooled = await freezeRounds(trial, fleet, ledger, fleet.pgBouncer.url);
    for (const [way, { loss, wait }] of Object.entries({ direct, PgBouncer: pooled })) {
      trial.figure(`${way}: loss`, seconds(loss));
      trial.figure('longest wait', seconds(wait));
      if (wait < 1) trial.fail('no write waited for a lock of the stopped node');
    }
    const access = await ledger.enter(callsTo(fleet), fleet.env.API_KEY);
    trial.figure('facts checked', ledger.count());
    for (const fact of await ledger.lost(access, true)) trial.fail(`lost: ${fact}`);
  },
};

/** Returns the longest loss and wait of writes to the workspace of the stopped node. */
async function freezeRounds(
  trial: Trial,
  fleet: Fleet,
  ledger: Ledger,
  database: string,
): Promise<{ loss: number; wait: number }> {
  const [victim, healthy] = fleet.nodes;
  if (victim === undefined || healthy === undefined) throw new Error('the fleet has three nodes');
  const proxy = await startCommitProxy(database);
  await victim.stop();
  fleet.useCurrent(victim, { LATCHKEY_DATABASE_URL: proxy.url });
  await victim.start();
  const origin = `http://${victim.http}`;
  const all = await transactionKinds(callsAt(fleet, victim), fleet.env.API_KEY, origin);
  const kinds = trial.isShort ? shortKinds : Object.keys(all);
  const send = await createProbe(fleet, ledger, healthy);
  const longest = { loss: 0, wait: 0 };
  for (let round = 0; round < (trial.isShort ? kinds.length : rounds); round++) {
    const kind = kinds[round % kinds.length] ?? '';
    const one = all[kind];
    if (one === undefined) throw new Error(`no transaction of the kind ${kind}`);
    const writes = await Promise.all(Array.from({ length: transactions }, one.prepare));
    const loss = await freeze({ victim, proxy, send, statement: one.statement, writes }).catch(
      (cause: unknown) => {
        throw new Error(kind, { cause });
      },
    );
    if (loss.same > lossSecondsMax) trial.fail(`${kind}: writes failed for ${loss.same} s`);
    for (const failure of loss.others) trial.fail(`${kind}: ${failure}`);
    longest.loss = Math.max(longest.loss, loss.same);
    longest.wait = Math.max(longest.wait, loss.slowest);
  }
  await victim.stop();
  proxy.close();
  fleet.useCurrent(victim);
  await victim.start();
  return longest;
}

const callsAt = (fleet: Fleet, node: FleetNode) =>
  callsTo({ env: { ...fleet.env, LATCHKEY_BASE_URL: `http://${node.http}` } });

type Probe = 'same' | 'other' | 'token';
/** Sends one request to the healthy node. */
type SendProbe = (probe: Probe) => Promise<CampaignAnswer | undefined>;

async function createProbe(fleet: Fleet, ledger: Ledger, healthy: FleetNode): Promise<SendProbe> {
  const calls = callsAt(fleet, healthy);
  const staff = await calls.signIn();
  const workspace = await calls.json('POST', '/workspaces', staff, { name: 'Other' });
  const fields = {
    workspace_id: workspace?.body.id,
    name: 'Probe',
    scopes: ['documents:write'],
  };
  const created = await calls.json('POST', '/api/v1/api-keys', staff, fields);
  const otherKey = created?.body.api_key;
  if (typeof otherKey !== 'string') throw new Error(`no API key: ${describeAnswer(created)}`);
  const { CLIENT_ID, CLIENT_SECRET, API_KEY } = fleet.env;
  return async (probe) => {
    if (probe === 'token') {
      const client = { client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope: 'tokens:read' };
      return calls.json('POST', '/tokens', undefined, client);
    }
    const bytes = new Uint8Array(randomBytes(1000));
    const answer = await calls.upload(bytes, probe === 'same' ? API_KEY : otherKey);
    // The other workspace's key is not the ledger's.
    if (answer?.status === 201 && probe === 'same') {
      ledger.expectDocument(String(answer.body.id), sha256(bytes));
    }
    return answer;
  };
}

type Frozen = {
  readonly victim: FleetNode;
  readonly proxy: CommitProxy;
  readonly send: SendProbe;
  readonly statement: RegExp;
  readonly writes: readonly (() => Promise<CampaignAnswer | undefined>)[];
};

/**
 * Stops the node while it waits for its COMMITs. Returns how long writes to the same workspace
 * failed, in seconds, and the other failures.
 */
async function freeze({ victim, proxy, send, statement, writes }: Frozen) {
  const before = proxy.lost();
  proxy.lose('held', statement);
  const sent = writes.map((write) => write().catch(() => undefined));
  await waitFor('the node sends a COMMIT', () => proxy.lost() > before);
  await sleep(queuedMs);
  victim.suspend();

  const frozenAt = performance.now();
  const loss = { same: 0, slowest: 0, others: [] as string[] };
  const probes: Promise<void>[] = [];
  async function run(probe: Probe): Promise<void> {
    const sentAt = performance.now();
    const answer = await send(probe);
    const endedAt = performance.now();
    if (probe === 'same') loss.slowest = Math.max(loss.slowest, (endedAt - sentAt) / 1000);
    if (answer !== undefined && answer.status < 300) return;
    if (probe === 'same') loss.same = Math.max(loss.same, (sentAt - frozenAt) / 1000);
    else loss.others.push(`${probe}: ${describeAnswer(answer)}`);
  }
  for (; performance.now() < frozenAt + frozenMs; await sleep(probeMs)) {
    probes.push(run('same'), run('other'), run('token'));
  }
  await Promise.all(probes);
  victim.resume();
  proxy.lose('none');
  await Promise.all(sent);
  return loss;
}
