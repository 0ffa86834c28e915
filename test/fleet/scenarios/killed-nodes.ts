// kill -9 of a random node under load, round after round.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, Trial } from '../../support/campaign.ts';
import { callsTo, describeAnswer } from '../../support/campaign-calls.ts';
import type { Fleet } from '../fleet.ts';
import { measureRevocations } from '../revocation-lag.ts';
import { broken, recoverySeconds, seconds, underLoad } from './shared-fleet.ts';

/** The short form runs on busy machines, which may stop any process for a while. */
const limits = {
  short: { rounds: 5, requestsPerSecond: 60, recoverySecondsMax: 10, lagSecondsMax: 3 },
  long: { rounds: 100, requestsPerSecond: 60, recoverySecondsMax: 2, lagSecondsMax: 1 },
};

export const killedNodesCheck: Check = {
  name: 'kill -9 of nodes',
  secondsMax: [240, 2400],
  run(trial) {
    const { requestsPerSecond } = limits[trial.isShort ? 'short' : 'long'];
    const load = { requestsPerSecond, writes: 0.25, permitted: broken };
    return underLoad(trial, load, (shared, { tally }) => killRounds(trial, shared, tally));
  },
};

async function killRounds(
  trial: Trial,
  { fleet, ledger }: Parameters<Parameters<typeof underLoad>[2]>[0],
  { failures }: Parameters<Parameters<typeof underLoad>[2]>[1]['tally'],
): Promise<void> {
  const { random, isShort } = trial;
  const lag = measureRevocations(fleet, ledger);
  const rotate = await keyRotation(fleet);
  const { rounds, recoverySecondsMax, lagSecondsMax } = limits[isShort ? 'short' : 'long'];
  let [recovery, start] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    await sleep(500 + random.below(1500));
    const node = random.pick(fleet.nodes);
    const killedAt = performance.now();
    await node.kill();
    // The other nodes serve alone for a while.
    await sleep(random.below(1000));
    start = Math.max(start, await node.start());
    await fleet.haProxy.untilUp(node.name);
    recovery = Math.max(recovery, recoverySeconds(failures, killedAt, performance.now()));
    if (round % 5 === 2) await rotate(trial);
  }
  await lag.stop();
  trial.figure('rounds', rounds);
  trial.figure('slowest recovery', seconds(recovery));
  trial.figure('slowest start', seconds(start));
  trial.figure('revocations', lag.count());
  trial.figure('worst revocation', seconds(lag.worst()));
  if (recovery > recoverySecondsMax) trial.fail(`requests failed for ${recovery} s`);
  if (lag.worst() > lagSecondsMax)
    trial.fail(`a node accepted a revoked credential for ${lag.worst()} s`);
  if (lag.count() === 0) trial.fail('no revocation was measured');
}

/** Activates a new signing key; every node knows a key before it signs. */
async function keyRotation(fleet: Fleet): Promise<(trial: Trial) => Promise<void>> {
  const calls = callsTo(fleet);
  const staff = await calls.signIn();
  const fields = { name: 'Rotation', scopes: ['signing_keys:read', 'signing_keys:write'] };
  const { body } = (await calls.json('POST', '/clients', staff, fields)) ?? {};
  const { id } = (body?.client ?? {}) as { id?: string };
  return async (trial) => {
    const secret = String(body?.client_secret);
    // A killed node may break these calls.
    const token = await calls.issue(String(id), secret, fields.scopes.join(' ')).catch(() => '');
    const created = await calls.json('POST', '/signing-keys', token, {});
    // Retired keys stay published until their last tokens expire, and the number is limited.
    if (created?.status === 409) return;
    if (created?.status !== 201) return trial.fail(`a new key: ${describeAnswer(created)}`);
    await sleep(1500);
    const route = `/signing-keys/${created.body.kid}:activate`;
    const activated = await calls.json('POST', route, token, { force: true });
    if (activated?.status !== 200) trial.fail(`a rotation: ${describeAnswer(activated)}`);
  };
}
