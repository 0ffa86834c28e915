// Compares the verification thread with the main thread, and checks that calls are answered when
// the thread is slow or ends. The thread leaves late calls to the caller; the tests repeat these.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { loadEd25519, nodeEd25519 } from '../../src/identity/keys/ed25519.ts';
import {
  createVerificationThread,
  type VerificationThread,
} from '../../src/identity/keys/verification-thread.ts';
import {
  alter,
  hex,
  publicKeyOf,
  secondEncodingOf,
  smallOrder,
  vectors,
} from '../support/ed25519-cases.ts';
import { seededRandom } from '../support/seeded-random.ts';

const root = path.resolve(import.meta.dirname, '../..');
const program = path.join(root, 'dist/src/identity/keys/thread-program.js');
const random = seededRandom(8032);
const here = await loadEd25519();

/** Called instead if the thread is late. */
const late = () => undefined;

const errors: unknown[] = [];
afterEach(() => {
  errors.length = 0;
});

describe('the verification thread', () => {
  it.each(vectors)('passes the test vector with the seed %s', async (_, x, message, signed) => {
    const call = { publicKey: hex(x), message: hex(message), signature: hex(signed) };
    expect(await computed(startThread(), call)).toBe(true);
  });

  it('agrees with the main thread on 10,000 random messages', async () => {
    const thread = startThread();
    let count = 0;
    while (count < 10_000) {
      const seed = Buffer.from(random.bytes(32));
      const privateKey = here.privateKey(seed);
      const publicKey = publicKeyOf(seed);
      const calls = Array.from({ length: 40 }, () => {
        const message = Buffer.from(random.bytes(1 + random.below(600)));
        const valid = privateKey.sign(message) as Buffer;
        const signature = random.chance(0.5) ? valid : alter(valid, random);
        const result = thread.verify({ publicKey, message, signature }, late);
        return { result, expected: here.publicKey(publicKey).verify(message, signature) };
      });
      for (const { result, expected } of calls) {
        const isValid = await result;
        if (isValid === undefined) continue;
        expect(isValid).toBe(expected);
        count += 1;
      }
    }
  });

  it('refuses altered, non-canonical and small-order signatures and keys', async () => {
    const thread = startThread();
    const seed = Buffer.alloc(32, 7);
    const message = Buffer.from('a message');
    const x = publicKeyOf(seed);
    const signature = await here.privateKey(seed).sign(message);
    const [identity = ''] = smallOrder;
    const forged: [Buffer, Buffer][] = [
      [x, alter(signature, random)],
      [x, secondEncodingOf(signature)],
      [hex(identity), Buffer.concat([hex(identity), Buffer.alloc(32)])],
    ];
    for (const point of smallOrder) {
      forged.push([x, Buffer.concat([hex(point), signature.subarray(32)])]);
    }
    for (const [publicKey, bytes] of forged) {
      expect(await computed(thread, { publicKey, message, signature: bytes })).toBe(false);
    }
    expect(await computed(thread, { publicKey: x, message, signature })).toBe(true);
  });

  it('verifies the longest message, and leaves longer ones to the caller', async () => {
    const thread = startThread();
    const seed = Buffer.alloc(32, 7);
    const message = Buffer.alloc(1_920, 1);
    const signature = await here.privateKey(seed).sign(message);
    const call = { publicKey: publicKeyOf(seed), message, signature };
    expect(await computed(thread, call)).toBe(true);
    const longer = { ...call, message: Buffer.alloc(1_921) };
    const results = Array.from({ length: 32 }, () => thread.verify(longer, late));
    expect(results.every((result) => result === undefined)).toBe(true);
  });

  it('does not keep the process running', async () => {
    const file = path.join(root, 'test/support/verifying-job.ts');
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--import', 'tsx', file, program]);
    expect(stdout).toBe('verified on the thread\n');
  });
});

describe('Ed25519 with a verification thread', () => {
  it('gives each of many callers its own result', async () => {
    await verifyEach(startThread());
    expect(errors).toEqual([]);
  });

  it('verifies on the main thread if the thread cannot start', async () => {
    const thread = startThread('/nonexistent/program.js');
    await verifyEach(thread);
    await expect.poll(() => errors.length).toBe(1);
    await verifyEach(thread);
  });

  it.each([
    ['ends with an error', 'throw new Error("ended")'],
    ['exits', 'process.exit(1)'],
    ['hangs', 'Atomics.wait(words, words.length - 1, 0)'],
  ])('answers the calls of a thread that %s after it has taken some', async (_, end) => {
    const file = await programFile(`
      import { workerData } from 'node:worker_threads';
      const words = new Int32Array(workerData);
      // The state of a slot is its first word. It is 1 for a queued call and 2 for a taken one.
      const states = Array.from({ length: 128 }, (_, i) => 16 + i * 512);
      while (!states.some((at) => Atomics.compareExchange(words, at, 1, 2) === 1));
      ${end}`);
    const thread = startThread(file);
    for (let i = 0; i < 20; i++) await verifyEach(thread);
  });

  it('answers the calls that are queued when the thread is closed', async () => {
    const thread = startThread();
    await verifyEach(thread);
    const calls = verifyEach(thread);
    await thread.close();
    await calls;
    await verifyEach(thread);
  });
});

/** Makes many different calls at the same time, and checks their results. */
async function verifyEach(thread: VerificationThread): Promise<void> {
  const seed = Buffer.from(random.bytes(32));
  const ed25519 = await loadEd25519(thread);
  const privateKey = nodeEd25519.privateKey(seed);
  const publicKey = ed25519.publicKey(publicKeyOf(seed));
  const signed = Array.from({ length: 200 }, async (_, i) => {
    const message = Buffer.from(`message ${i}`);
    return { message, signature: await privateKey.sign(message) };
  });
  const calls = (await Promise.all(signed)).map(async ({ message, signature }, i) => {
    const isValid = i % 2 === 0;
    const bytes = isValid ? signature : alter(signature, random);
    expect(await publicKey.verify(message, bytes)).toBe(isValid);
  });
  await Promise.all(calls);
}

type Verification = Parameters<VerificationThread['verify']>[0];

/** Repeats a call until the thread has computed it. */
async function computed(thread: VerificationThread, call: Verification): Promise<boolean> {
  const busy = here.privateKey(Buffer.alloc(32));
  for (;;) {
    const calls = Array.from({ length: 16 }, () => thread.verify(call, late));
    // The thread has the time that these signatures take.
    for (let i = 0; i < 50; i++) busy.sign(Buffer.alloc(0));
    const results = await Promise.all(calls);
    const result = results.find((one) => one !== undefined);
    if (result !== undefined) return result;
  }
}

function startThread(file = program): VerificationThread {
  const onError = (error: unknown) => errors.push(error);
  const thread = createVerificationThread({ program: file, onError });
  onTestFinished(() => thread.close());
  return thread;
}

async function programFile(text: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-thread-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'program.mjs');
  await writeFile(file, text);
  return file;
}
