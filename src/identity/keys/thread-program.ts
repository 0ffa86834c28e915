// The program of the signature thread. It computes queued calls until none is left, then waits.
import { workerData } from 'node:worker_threads';
import sodium from 'sodium-native';
import {
  counters as at,
  jobs,
  type Slot,
  slotMessageBytesMax,
  slotsIn,
  states,
  words as word,
} from './thread-slots.ts';

const memory: SharedArrayBuffer = workerData;
const { counters, boxKey, sealedKey, slotOf } = slotsIn(memory);

// Private keys are in guarded, locked, read-only memory. They come encrypted from the main thread.
const boxSecretKey = sodium.sodium_malloc(sodium.crypto_box_SECRETKEYBYTES);
const boxPublicKey = Buffer.alloc(sodium.crypto_box_PUBLICKEYBYTES);
const secretKey = sodium.sodium_malloc(sodium.crypto_sign_SECRETKEYBYTES);
/** The second half of a private key (RFC 8032 §5.1.5). */
const ownPublicKey = secretKey.subarray(sodium.crypto_sign_SEEDBYTES);
let sealedKeys = 0;

// libsodium does not accept shared memory.
const messages = Buffer.alloc(slotMessageBytesMax);
const signature = Buffer.alloc(sodium.crypto_sign_BYTES);
const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);

sodium.crypto_box_keypair(boxPublicKey, boxSecretKey);
sodium.sodium_mprotect_readonly(boxSecretKey);
boxKey.set(boxPublicKey);
Atomics.store(counters, at.started, 1);

for (let call = 0; ; ) {
  const wakes = Atomics.load(counters, at.wakes);
  updateKey();
  for (; call !== Atomics.load(counters, at.queued); call = (call + 1) | 0) computeIn(slotOf(call));
  Atomics.wait(counters, at.wakes, wakes);
}

function computeIn(slot: Slot): void {
  const { words } = slot;
  const { free, queued, taken, done, abandoned } = states;
  if (Atomics.compareExchange(words, word.state, queued, taken) !== queued) return;
  words[word.result] = compute(slot) ? 1 : 0;
  const state = Atomics.compareExchange(words, word.state, taken, done);
  if (state === abandoned) Atomics.store(words, word.state, free);
}

function compute(slot: Slot): boolean {
  const message = messages.subarray(0, slot.words[word.messageLength]);
  message.set(slot.message.subarray(0, message.length));
  publicKey.set(slot.publicKey);
  if (slot.words[word.job] === jobs.sign) {
    updateKey();
    if (!publicKey.equals(ownPublicKey)) return false;
    sodium.crypto_sign_detached(signature, message, secretKey);
    slot.signature.set(signature);
    return true;
  }
  signature.set(slot.signature);
  return sodium.crypto_sign_verify_detached(signature, message, publicKey);
}

/** Reads the private key if it was written again. Zeros do not decrypt, so they erase it. */
function updateKey(): void {
  const written = Atomics.load(counters, at.sealedKeys);
  if (written === sealedKeys) return;
  sealedKeys = written;
  sodium.sodium_mprotect_readwrite(secretKey);
  const sealed = Buffer.from(sealedKey);
  if (!sodium.crypto_box_seal_open(secretKey, sealed, boxPublicKey, boxSecretKey)) {
    secretKey.fill(0);
  }
  sodium.sodium_mprotect_readonly(secretKey);
}
