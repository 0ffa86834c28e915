// The time that the signature thread has for a call.
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createSignatureThread } from '../../src/identity/keys/signature-thread.ts';
import { sealableKeyOf } from '../support/ed25519-cases.ts';

const root = path.resolve(import.meta.dirname, '../..');
const program = path.join(root, 'dist/src/identity/keys/thread-program.js');
const message = Buffer.from('a message');

test('the thread has a whole turn for calls that come at the end of one', async () => {
  const onError = (error: unknown) => {
    throw error;
  };
  const thread = createSignatureThread({ program, onError });
  onTestFinished(() => thread.close());
  const key = sealableKeyOf(Buffer.alloc(32, 7));
  thread.setKey(key);
  const sign = () => thread.sign(key, message, () => undefined);
  // With the call before them, a multiple of the number that wakes the thread up. Otherwise the
  // last ones could be queued for a sleeping thread, if this process has to wait for a processor.
  const signMany = () => Promise.all(Array.from({ length: 15 }, sign));
  // Until the thread has started.
  while (!(await signMany()).some(Buffer.isBuffer)) await nextTurn();

  const signatures = await new Promise<unknown[]>((resolve) => {
    setImmediate(() => {
      // Runs immediately before the results of the call below are read.
      setImmediate(() => {
        // Runs in the turn that the calls get. Long, because the thread may wait for a processor.
        setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000));
        resolve(signMany());
      });
      void sign();
    });
  });

  expect(signatures.filter(Buffer.isBuffer)).toHaveLength(15);
});
