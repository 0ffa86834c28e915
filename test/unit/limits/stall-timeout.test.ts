import { expect, it } from 'vitest';
import { failIfStalled } from '../../../src/base/limits/stall-timeout.ts';

const isEmpty = (message: string) => message === '';
/** Lets timers run. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

it('empty messages do not keep an upload alive', async () => {
  let ended = false;
  async function* messages() {
    yield 'first';
    while (!ended) {
      await turn();
      yield '';
    }
  }
  const seen = new Set<string>();
  async function readAll() {
    for await (const message of failIfStalled(messages(), 50, isEmpty)) seen.add(message);
  }
  try {
    await expect(readAll()).rejects.toMatchObject({ message: 'The upload stalled.' });
  } finally {
    ended = true;
  }
  expect([...seen]).toContain('first');
});

it('a slow consumer does not end an upload', async () => {
  async function* messages() {
    yield* ['', '', 'last'];
  }
  const seen: string[] = [];
  for await (const message of failIfStalled(messages(), 5, isEmpty)) {
    seen.push(message);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(seen).toEqual(['', '', 'last']);
});
