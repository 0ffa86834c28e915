// A log that no process reads: memory stays bounded, and SIGTERM ends the process in time.
import { Agent, request } from 'node:http';
import type { Check, Trial } from '../support/campaign.ts';
import { type RunningProgram, residentMbOf, startProgram } from '../support/program.ts';

const grownMbMax = 96;
const stopSecondsMax = 12;

export const logPipeCheck: Check = {
  name: 'a log that is not read',
  secondsMax: [90, 300],
  run: leaveUnread,
};

async function leaveUnread(trial: Trial): Promise<void> {
  const program = await startProgram({ LATCHKEY_BOOTSTRAP: 'demo' });
  program.child.stdout?.removeAllListeners('data').pause();
  trial.onEnd(() => program.remove());
  const pid = program.child.pid ?? 0;
  await requestMany(program, 2_000);
  const quietMb = residentMbOf(pid);
  const count = trial.isShort ? 30_000 : 300_000;
  await requestMany(program, count);
  const grownMb = residentMbOf(pid) - quietMb;
  trial.figure('lines', count);
  trial.figure('memory', `${quietMb} MiB + ${grownMb}`);
  if (grownMb > grownMbMax) trial.fail(`memory grew by ${grownMb} MiB`);

  const started = performance.now();
  program.child.kill('SIGTERM');
  const late = new Promise<'late'>((resolve) => {
    setTimeout(resolve, stopSecondsMax * 1000, 'late' as const).unref();
  });
  const end = await Promise.race([program.ended, late]);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  trial.figure('stopped', end === 'late' ? 'never' : `after ${seconds} s with ${end}`);
  if (end === 'late') trial.fail(`the process runs on ${stopSecondsMax} s after SIGTERM`);
}

/** Each request writes a long log line. */
async function requestMany({ httpPort }: RunningProgram, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const headers = { 'x-request-id': 'r'.repeat(128) };
  const path = '/.well-known/jwks.json';
  let left = count;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const call = request({ agent, port: httpPort, path, headers }, (response) => {
        response.resume().once('end', resolve);
      });
      call.once('error', reject).end();
    });
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (left-- > 0) await one();
    }),
  );
  agent.destroy();
}
