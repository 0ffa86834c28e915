// Compares the signature thread with the main thread, and checks that calls are answered when the
// thread is slow or ends. The thread leaves late calls to the caller; the tests repeat these.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { loadEd25519, nodeEd25519 } from '../../src/identity/keys/ed25519.ts';
import {
  createSignatureThread,
  type SealableKey,
  type SignatureThread,
} from '../../src/identity/keys/signature-thread.ts';
import {
  alter,
  hex,
  publicKeyOf,
  sealableKeyOf,
  secondEncodingOf,
  smallOrder,
  vectors,
} from '../support/ed25519-cases.ts';
import { itHoldsFor } from '../support/rule.ts';
import { seededRandom } from '../support/seeded-random.ts';

const root = path.resolve(import.meta.dirname, '../..');
const program = path.join(root, 'dist/src/identity/keys/thread-program.js');
const random = seededRandom(8032);
const here = await loadEd25519();
const message = Buffer.from('a message');

/** Called instead if the thread is late. */
const late = () => undefined;

const errors: unknown[] = [];
afterEach(() => {
  errors.length = 0;
});

describe('the signature thread', () => {
  itHoldsFor(vectors, 3)('passes the test vectors', async (seed, x, text, signed) => {
    const thread = startThread();
    const key = setKey(thread, hex(seed));
    const signature = await computed(() => thread.sign(key, hex(text), late));
    expect(signature.toString('hex')).toBe(signed);
    const call = { publicKey: hex(x), message: hex(text), signature };
    expect(await computed(() => thread.verify(call, late))).toBe(true);
  });

  it('agrees with the main thread on 10,000 random messages', { timeout: 300_000 }, async () => {
    const thread = startThread();
    const count = { signed: 0, verified: 0 };
    while (Math.min(count.signed, count.verified) < 10_000) {
      const seed = Buffer.from(random.bytes(32));
      const key = setKey(thread, seed);
      const privateKey = here.privateKey(seed);
      const calls = Array.from({ length: 60 }, () => {
        const bytes = Buffer.from(random.bytes(1 + random.below(600)));
        const signed = thread.sign(key, bytes, late);
        const expected = privateKey.sign(bytes) as Buffer;
        const signature = random.chance(0.5) ? expected : alter(expected, random);
        const call = { publicKey: key.publicKey, message: bytes, signature };
        const verified = thread.verify(call, late);
        return { signed, expected, verified, isValid: signature === expected };
      });
      for (const { signed, expected, verified, isValid } of calls) {
        const [signature, verdict] = [await signed, await verified];
        if (signature !== undefined) count.signed += 1;
        if (verdict !== undefined) count.verified += 1;
        expect(signature ?? expected).toEqual(expected);
        expect(verdict ?? isValid).toBe(isValid);
      }
    }
  });

  it('refuses altered, non-canonical and small-order signatures and keys', async () => {
    const thread = startThread();
    const seed = Buffer.alloc(32, 7);
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
      const call = { publicKey, message, signature: bytes };
      expect(await computed(() => thread.verify(call, late))).toBe(false);
    }
    const call = { publicKey: x, message, signature };
    expect(await computed(() => thread.verify(call, late))).toBe(true);
  });

  it('computes the longest message, and leaves longer ones to the caller', async () => {
    const thread = startThread();
    const key = setKey(thread, Buffer.alloc(32, 7));
    const longest = Buffer.alloc(1_920, 1);
    const signature = await computed(() => thread.sign(key, longest, late));
    const call = { publicKey: key.publicKey, message: longest, signature };
    expect(await computed(() => thread.verify(call, late))).toBe(true);
    const longer = Buffer.alloc(1_921);
    for (let i = 0; i < 32; i++) {
      expect(thread.sign(key, longer, late)).toBeUndefined();
      expect(thread.verify({ ...call, message: longer }, late)).toBeUndefined();
    }
  });

  it('signs only with the newest key', async () => {
    const thread = startThread();
    const older = setKey(thread, Buffer.alloc(32, 1));
    await computed(() => thread.sign(older, message, late));
    const newer = setKey(thread, Buffer.alloc(32, 2));
    const signature = await computed(() => thread.sign(newer, message, late));
    expect(signature).toEqual(await here.privateKey(Buffer.alloc(32, 2)).sign(message));
    expect(thread.sign(older, message, late)).toBeUndefined();
    thread.forgetKey(older);
    await computed(() => thread.sign(newer, message, late));
    thread.forgetKey(newer);
    expect(thread.sign(newer, message, late)).toBeUndefined();
  });

  it('has no key after it has read bytes that it cannot decrypt', async () => {
    const thread = startThread();
    const key = setKey(thread, Buffer.alloc(32, 1));
    const signature = await computed(() => thread.sign(key, message, late));
    const undecryptable = { ...key, sealFor: () => Buffer.alloc(112) };
    thread.setKey(undecryptable);
    const call = { publicKey: key.publicKey, message, signature };
    const signatures: unknown[] = [];
    // The thread computes calls in order, so it has tried to sign when it verifies.
    await computed(() => {
      const signed = thread.sign(undecryptable, message, late);
      const verified = thread.verify(call, late);
      return Promise.all([signed, verified]).then(([signature, verdict]) => {
        signatures.push(signature);
        return verdict;
      });
    });
    expect(new Set(signatures)).toEqual(new Set([undefined]));
  });

  it('reads a private key only in encrypted form, and not after the key is retired', async () => {
    // This program signs with the encrypted key, and verifies whether its bytes are zeros.
    const thread = startThread(
      await programFile(`
        ${readMemory}
        Atomics.store(words, 2, 1);
        bytes.fill(9, 16, 48);
        for (;;) {
          for (const at of states) {
            if (Atomics.compareExchange(words, at, 1, 2) !== 1) continue;
            const sealed = bytes.slice(48, 160);
            words[at + 3] = words[at + 1] === 1 || sealed.every((byte) => byte === 0) ? 1 : 0;
            if (words[at + 1] === 1) bytes.set(sealed.subarray(48), at * 4 + 48);
            if (Atomics.compareExchange(words, at, 2, 3) === 4) Atomics.store(words, at, 0);
          }
        }`),
    );
    const seed = Buffer.alloc(32, 7);
    const key = setKey(thread, seed);
    const sealed = await computed(() => thread.sign(key, message, late));
    expect(sealed.equals(Buffer.alloc(64))).toBe(false);
    expect(sealed.includes(seed.subarray(0, 4))).toBe(false);
    const call = { publicKey: key.publicKey, message, signature: Buffer.alloc(64) };
    expect(await computed(() => thread.verify(call, late))).toBe(false);
    thread.forgetKey(key);
    expect(await computed(() => thread.verify(call, late))).toBe(true);
  });

  it('does not keep the process running', async () => {
    const file = path.join(root, 'test/support/signing-job.ts');
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--import', 'tsx', file, program]);
    expect(stdout).toBe('signed on the thread\n');
  });
});

describe('Ed25519 with a signature thread', () => {
  it('gives each of many callers its own result', async () => {
    await callEach(startThread());
    expect(errors).toEqual([]);
  });

  it('signs with several keys at the same time, also after one is retired', async () => {
    const ed25519 = await loadEd25519(startThread());
    const seeds = Array.from({ length: 8 }, () => Buffer.from(random.bytes(32)));
    const keys = seeds.map((seed) => ({ ...ed25519.privateKey(seed), x: publicKeyOf(seed) }));
    for (let round = 0; round < 3; round++) {
      const calls = Array.from({ length: 400 }, async (_, i) => {
        const key = keys[i % 8] as (typeof keys)[number];
        const signature = await key.sign(message);
        expect(await nodeEd25519.publicKey(key.x).verify(message, signature)).toBe(true);
      });
      // The last key is on the thread, which computes calls at this time.
      keys[7]?.retire();
      await Promise.all(calls);
    }
  });

  it('signs and verifies on the main thread if the thread cannot start', async () => {
    const thread = startThread('/nonexistent/program.js');
    await callEach(thread);
    await expect.poll(() => errors.length).toBe(1);
    await callEach(thread);
  });

  itHoldsFor([
    ['ends with an error', 'throw new Error("ended")'],
    ['exits', 'process.exit(1)'],
    ['hangs', 'Atomics.wait(words, words.length - 1, 0)'],
  ])('answers the calls of a thread that ends after it has taken some', async (_, end) => {
    const file = await programFile(`
      ${readMemory}
      Atomics.store(words, 2, 1);
      bytes.fill(9, 16, 48);
      while (!states.some((at) => Atomics.compareExchange(words, at, 1, 2) === 1));
      ${end}`);
    const thread = startThread(file);
    for (let i = 0; i < 20; i++) await callEach(thread);
  });

  it('answers the calls that are queued when the thread is closed', async () => {
    const thread = startThread();
    await callEach(thread);
    const calls = callEach(thread);
    await thread.close();
    await calls;
    await callEach(thread);
  });
});

/** Makes many different calls at the same time, and checks their results. */
async function callEach(thread: SignatureThread): Promise<void> {
  const seed = Buffer.from(random.bytes(32));
  const ed25519 = await loadEd25519(thread);
  const privateKey = ed25519.privateKey(seed);
  const publicKey = ed25519.publicKey(publicKeyOf(seed));
  const keyHere = here.privateKey(seed);
  const calls = Array.from({ length: 200 }, async (_, i) => {
    const bytes = Buffer.from(`message ${i}`);
    const signature = await privateKey.sign(bytes);
    expect(signature).toEqual(keyHere.sign(bytes));
    expect(await publicKey.verify(bytes, signature)).toBe(true);
    expect(await publicKey.verify(bytes, alter(signature, random))).toBe(false);
  });
  await Promise.all(calls);
}

/** Repeats a call until the thread has computed it. */
async function computed<T>(call: () => Promise<T | undefined> | undefined): Promise<T> {
  const busy = here.privateKey(Buffer.alloc(32));
  for (;;) {
    const calls = Array.from({ length: 16 }, call);
    // The thread has the time that these signatures take.
    for (let i = 0; i < 50; i++) busy.sign(Buffer.alloc(0));
    const results = await Promise.all(calls);
    const result = results.find((one) => one !== undefined);
    if (result !== undefined) return result;
  }
}

function startThread(file = program): SignatureThread {
  const onError = (error: unknown) => errors.push(error);
  const thread = createSignatureThread({ program: file, onError });
  onTestFinished(() => thread.close());
  return thread;
}

function setKey(thread: SignatureThread, seed: Buffer): SealableKey {
  const key = sealableKeyOf(seed);
  thread.setKey(key);
  return key;
}

/**
 * The start of a program that uses the memory directly. The first word of a slot is its state: 1
 * for a queued call, 2 for a taken one, 3 for a result, 4 if the call is abandoned.
 */
const readMemory = `
  import { workerData } from 'node:worker_threads';
  const words = new Int32Array(workerData);
  const bytes = new Uint8Array(workerData);
  const states = Array.from({ length: 128 }, (_, i) => 48 + i * 512);`;

async function programFile(text: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-thread-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'program.mjs');
  await writeFile(file, text);
  return file;
}
