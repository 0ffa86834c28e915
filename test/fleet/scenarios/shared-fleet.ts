// The scenarios share one fleet and one ledger, so that a later one also checks the writes of an
// earlier one.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Trial } from '../../support/campaign.ts';
import { callsTo } from '../../support/campaign-calls.ts';
import { createLedger, type Ledger } from '../../support/ledger.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { type Fleet, startFleet } from '../fleet.ts';
import { type Load, startLoad } from '../load/load.ts';
import type { Failure, Tally } from '../load/tally.ts';

type Shared = { readonly fleet: Fleet; readonly ledger: Ledger };

let shared: Promise<Shared> | undefined;

/** Starts the fleet, or what an earlier scenario has left stopped. */
async function sharedFleet(trial: Trial): Promise<Shared> {
  shared ??= startFleet().then((fleet) => ({
    fleet,
    ledger: createLedger(seededRandom(trial.seed)),
  }));
  const { fleet, ledger } = await shared;
  await fleet.startAll();
  return { fleet, ledger };
}

/** Undefined if no scenario has started it. */
export const startedFleet = (): Promise<Shared> | undefined => shared;

export async function stopSharedFleet(): Promise<void> {
  await (await shared)?.fleet.stop();
}

/** A request is broken if a component ended while it was answered. */
export const broken = new RegExp(
  [
    '^http (50[234] unavailable:|no answer:)',
    '^grpc (?!INTERNAL internal)(UNAVAILABLE|INTERNAL|CANCELLED|UNKNOWN) ',
  ].join('|'),
);
/** The answer names the reason. */
export const clear = /^http 503 unavailable:|^grpc UNAVAILABLE /;
/** No failure is permitted. */
const never = /$^/;

const always = /^/;

export type LoadedScenario = {
  readonly requestsPerSecond: number;
  readonly writes: number;
  /** The load rises to its rate within this time, before anything else happens. */
  readonly rampSeconds?: number;
  /** The kinds of failures that may occur. */
  readonly permitted: RegExp;
  /** The actions that may fail. The default is all actions. */
  readonly permittedActions?: RegExp;
};

/** The load while one node after the other is replaced. No request may fail. */
export const rollingLoad = ({ isShort }: Trial): LoadedScenario => ({
  // The fleet, its databases and the load share the two cores of a machine that runs CI. With a
  // higher rate, the queue grows, and requests in it reach their time limit.
  requestsPerSecond: isShort ? 100 : 500,
  rampSeconds: isShort ? 5 : 20,
  writes: 0.05,
  permitted: never,
});

/** Runs a scenario under load, and checks the ledger afterwards. */
export async function underLoad(
  trial: Trial,
  { permitted, permittedActions = always, ...rate }: LoadedScenario,
  run: (shared: Shared, load: Load) => Promise<void>,
  using = sharedFleet(trial),
): Promise<void> {
  const { fleet, ledger } = await using;
  const { random } = trial;
  const load = await startLoad({ fleet, ledger, random, ...rate });
  const { tally } = load;
  try {
    await sleep((rate.rampSeconds ?? 0) * 1000);
    await run({ fleet, ledger }, load);
  } finally {
    await load.stop();
    trial.figure('requests', `${tally.requests.http} HTTP + ${tally.requests.grpc} gRPC`);
    trial.figure('p50/p99', [0.5, 0.99].map((part) => ms(tally.percentile(part))).join('/'));
    trial.figure('failed', tally.kinds());
  }
  for (const { kind, action } of tally.failures) {
    if (!permitted.test(kind) || !permittedActions.test(action)) trial.fail(`${action}: ${kind}`);
  }
  await expectLedger(trial, { fleet, ledger });
}

const ms = (time: number) => `${time.toFixed(0)} ms`;

async function expectLedger(trial: Trial, { fleet, ledger }: Shared): Promise<void> {
  const access = await ledger.enter(callsTo(fleet), fleet.env.API_KEY);
  trial.figure('facts checked', ledger.count());
  for (const fact of await ledger.lost(access, false)) trial.fail(`lost: ${fact}`);
}

/** The seconds from a moment until the last request that failed because of it was sent. */
export function recoverySeconds(failures: readonly Failure[], from: number, until: number): number {
  const times = failures.map(({ sentAt }) => sentAt).filter((at) => at >= from && at < until);
  return times.length === 0 ? 0 : (Math.max(...times) - from) / 1000;
}

const recoverySecondsMax = 2;
/** Failures after a recovery show within this time. */
const settledMs = 4000;

/** Lets a component fail again and again; `fail` resolves to the moment at which it works again. */
export async function repeatOutages(
  trial: Trial,
  { failures }: Tally,
  rounds: number,
  fail: (round: number) => Promise<number>,
  repair = async () => {},
): Promise<void> {
  let [recovery, outage] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    await sleep(1000 + trial.random.below(1000));
    const failedAt = performance.now();
    const repairedAt = await fail(round);
    outage = Math.max(outage, (repairedAt - failedAt) / 1000);
    await sleep(settledMs);
    recovery = Math.max(recovery, recoverySeconds(failures, repairedAt, performance.now()));
    await repair();
  }
  trial.figure('rounds', rounds);
  trial.figure('longest outage', seconds(outage));
  trial.figure('slowest recovery', seconds(recovery));
  if (recovery > recoverySecondsMax) trial.fail(`requests failed for ${recovery} s afterwards`);
}

export const seconds = (time: number) => `${time.toFixed(2)} s`;
