// Many networks guess passwords at once: a user whose browser is known signs in during that time.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, Trial } from '../support/campaign.ts';
import { type RunningProgram, startProgram } from '../support/program.ts';

const attackers = 130;
const warmUpMs = 2_000;
const pauseMs = 500;
/** A password check takes about 50 ms, and two run at a time. */
const medianMsMax = 500;

export const guessesCheck: Check = {
  name: 'guesses from many networks',
  secondsMax: [60, 120],
  run: signInDuringGuesses,
};

async function signInDuringGuesses(trial: Trial): Promise<void> {
  const program = await startProgram({
    LATCHKEY_BOOTSTRAP: 'demo',
    LATCHKEY_LOG_LEVEL: 'error',
    LATCHKEY_TRUSTED_PROXIES: '127.0.0.1',
  });
  trial.onEnd(() => program.remove());
  const { STAFF_EMAIL: email, STAFF_PASSWORD: password } = program.env;
  const first = await signIn(program, { email, password }, '2001:db8::1');
  const cookies = first.headers.getSetCookie().map((header) => header.split(';')[0]);
  const device = cookies.find((cookie) => cookie?.startsWith('latchkey_device='));
  if (device === undefined) throw new Error('the browser is not known after a sign-in');

  let isOver = false;
  const statuses = new Map<number, number>();
  async function guess(): Promise<void> {
    while (!isOver) {
      // After a few guesses at one user, the service would check no more passwords.
      const text = randomBytes(8).toString('hex');
      const wrong = { email: `${text}@example.com`, password: text };
      const { status } = await signIn(program, wrong, newNetwork());
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }
  const guesses = Array.from({ length: attackers }, guess);
  await sleep(warmUpMs);
  const times: number[] = [];
  for (let round = 0; round < (trial.isShort ? 5 : 20); round++) {
    const started = performance.now();
    const { status } = await signIn(program, { email, password }, newNetwork(), device);
    times.push(performance.now() - started);
    if (status !== 201 && status !== 200) trial.fail(`a known browser got ${status}`);
    await sleep(pauseMs);
  }
  isOver = true;
  await Promise.all(guesses);

  times.sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? Number.NaN;
  trial.figure('guesses', [...statuses].map(([status, n]) => `${n}×${status}`).join(' '));
  trial.figure('sign-ins', times.length);
  trial.figure('p50', `${median.toFixed(0)} ms`);
  trial.figure('worst', `${times.at(-1)?.toFixed(0)} ms`);
  // A machine that runs CI may be busy, so there the figures are only printed.
  if (!trial.isShort && !(median <= medianMsMax)) trial.fail(`a sign-in takes ${median} ms`);
}

/** An address in a random /64. */
function newNetwork(): string {
  const groups = randomBytes(8).toString('hex').match(/.{4}/g) ?? [];
  return `2001:db8:${groups.slice(0, 2).join(':')}::${groups[2]}`;
}

function signIn({ env }: RunningProgram, body: object, network: string, cookie = '') {
  return fetch(`${env.LATCHKEY_BASE_URL}/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': network, cookie },
    body: JSON.stringify(body),
  }).then(async (response) => {
    await response.arrayBuffer();
    return response;
  });
}
