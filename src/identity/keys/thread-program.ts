// The program of the verification thread. It computes queued calls until none is left, then waits.
import { workerData } from 'node:worker_threads';
import sodium from 'sodium-native';
import {
  counters as at,
  type Slot,
  slotMessageBytesMax,
  slotsIn,
  states,
  words as word,
} from './thread-slots.ts';

const memory: SharedArrayBuffer = workerData;
const { counters, slotOf } = slotsIn(memory);

// libsodium does not accept shared memory.
const messages = Buffer.alloc(slotMessageBytesMax);
const signature = Buffer.alloc(sodium.crypto_sign_BYTES);
const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);

for (let call = 0; ; ) {
  const wakes = Atomics.load(counters, at.wakes);
  for (; call !== Atomics.load(counters, at.queued); call = (call + 1) | 0) computeIn(slotOf(call));
  Atomics.wait(counters, at.wakes, wakes);
}

function computeIn(slot: Slot): void {
  const { words } = slot;
  const { free, queued, taken, done, abandoned } = states;
  if (Atomics.compareExchange(words, word.state, queued, taken) !== queued) return;
  words[word.result] = isValid(slot) ? 1 : 0;
  const state = Atomics.compareExchange(words, word.state, taken, done);
  if (state === abandoned) Atomics.store(words, word.state, free);
}

function isValid(slot: Slot): boolean {
  const message = messages.subarray(0, slot.words[word.messageLength]);
  message.set(slot.message.subarray(0, message.length));
  publicKey.set(slot.publicKey);
  signature.set(slot.signature);
  return sodium.crypto_sign_verify_detached(signature, message, publicKey);
}
