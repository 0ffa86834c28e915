// A clock that jumps ahead by 400 days, and back.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, Trial } from '../support/campaign.ts';
import { addManager, type Calls, callsTo, describeAnswer } from '../support/campaign-calls.ts';
import { newDataDir, startProgram } from '../support/program.ts';
import { openProgramClock } from '../support/program-clock.ts';

/** Longer than any delay between sign-in attempts. */
const waitSecondsMax = 64;

export const clockChecks: readonly Check[] = [
  { name: 'a restart with the clock ahead', secondsMax: [60, 60], run: restartAhead },
  { name: 'a clock that was ahead', secondsMax: [90, 240], run: setBack },
];

async function startWithClock(trial: Trial) {
  const dataDir = await newDataDir();
  const clock = openProgramClock(dataDir);
  const env = { ...clock.env, LATCHKEY_BOOTSTRAP: 'demo', LATCHKEY_LOG_LEVEL: 'error' };
  const start = () => startProgram(env, dataDir);
  let program = await start();
  trial.onEnd(() => program.remove());
  return {
    clock,
    program: () => program,
    calls: () => callsTo(program),
    async restart(): Promise<void> {
      program.child.kill('SIGTERM');
      await program.ended;
      program = await start();
    },
  };
}

async function restartAhead(trial: Trial): Promise<void> {
  const { clock, calls, restart } = await startWithClock(trial);
  const manager = await addManager(calls());
  const token = () => calls().issue(manager.id, manager.secret, 'audit:read clients:write');
  for (let i = 0; i < 20; i++) {
    await calls().json('POST', '/clients', await token(), { name: `Client ${i}`, scopes: [] });
  }
  const before = await eventIds(calls(), await token());

  clock.set(400);
  await restart();
  await sleep(2000);
  clock.set(0);
  await restart();

  const after = new Set(await eventIds(calls(), await token()));
  const deleted = before.filter((id) => !after.has(id));
  if (deleted.length > 0) trial.fail(`${deleted.length} of ${before.length} audit events are gone`);
  trial.figure('audit events', `${before.length - deleted.length} of ${before.length}`);
}

async function eventIds(calls: Calls, token: string): Promise<string[]> {
  const answer = await calls.json('GET', '/audit-events?page_size=200', token);
  const { events } = (answer?.body ?? {}) as { events?: { id: string }[] };
  if (events === undefined) throw new Error(`no audit events: ${describeAnswer(answer)}`);
  return events.map(({ id }) => id);
}

async function setBack(trial: Trial): Promise<void> {
  const { clock, program, calls, restart } = await startWithClock(trial);
  clock.set(400);
  const { STAFF_EMAIL: email, STAFF_PASSWORD: password } = program().env;
  const attempt = (guess: string) =>
    calls().json('POST', '/sessions', undefined, { email, password: guess });
  for (let i = 0; i < 8; i++) await attempt('wrong');
  await calls().issue(program().env.CLIENT_ID, program().env.CLIENT_SECRET, 'tokens:read');

  clock.set(0);
  for (const when of ['running', 'after a restart']) {
    if (when !== 'running') await restart();
    const answer = await attempt(password);
    const seconds = answer?.retryAfterSeconds ?? 0;
    trial.figure(`${when}: sign-in`, `${answer?.status} after ${seconds} s`);
    if (answer?.status === 200) continue;
    if (answer?.status !== 429 || seconds > waitSecondsMax) {
      trial.fail(`${when}: sign-in: ${describeAnswer(answer)}, retry-after ${seconds}`);
    } else if (!trial.isShort || seconds <= 10) {
      await sleep(seconds * 1000);
      const second = await attempt(password);
      if (second?.status !== 200) trial.fail(`${when}: second sign-in: ${describeAnswer(second)}`);
    }
  }
  const { CLIENT_ID, CLIENT_SECRET } = program().env;
  const token = await calls().issue(CLIENT_ID, CLIENT_SECRET, 'tokens:read');
  const verified = await calls().json('POST', '/tokens/verify', token, { token });
  if (verified?.body.active !== true) trial.fail(`a new token: ${JSON.stringify(verified?.body)}`);
}
