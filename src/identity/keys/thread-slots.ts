// The memory that the main thread and the signature thread share: a ring of slots, each for one
// call. It never contains a private key that is not encrypted.

const slotCount = 128;
const slotBytes = 2_048;
const messageOffset = 128;
const headBytes = 192;

/** Longer messages stay on the main thread. */
export const slotMessageBytesMax = slotBytes - messageOffset;

/** The states of a slot. A compare-and-exchange decides which thread computes a call. */
export const states = {
  /** The main thread may use the slot for the next call. */
  free: 0,
  queued: 1,
  /** The signature thread computes the call. */
  taken: 2,
  done: 3,
  /** The main thread no longer waits for the call that the signature thread has taken. */
  abandoned: 4,
};

/** The indexes of the words of a slot. */
export const words = {
  state: 0,
  job: 1,
  messageLength: 2,
  /** 1 if the message was signed or the signature is valid, otherwise 0. */
  result: 3,
};

export const jobs = { verify: 0, sign: 1 };

/** The indexes of the counters. */
export const counters = {
  /** The number of calls that were queued; a signed number of 32 bits, which wraps around. */
  queued: 0,
  /** The number of times that the signature thread was woken up. */
  wakes: 1,
  /** 1 when the signature thread has written its box key. */
  started: 2,
  /** The number of times that the sealed key was written. */
  sealedKeys: 3,
};

export type Slot = {
  readonly words: Int32Array;
  /** The key that is to verify, or the public part of the key that is to sign. */
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
  readonly message: Uint8Array;
};

export type Slots = {
  readonly counters: Int32Array;
  /** The X25519 public key of the signature thread. */
  readonly boxKey: Uint8Array;
  /** The private key that is to sign, encrypted with the box key, or zeros. */
  readonly sealedKey: Uint8Array;
  /** Returns the slot of a call, given the number of calls that were queued before it. */
  readonly slotOf: (call: number) => Slot;
};

export function createSlotMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(headBytes + slotCount * slotBytes);
}

export function slotsIn(memory: SharedArrayBuffer): Slots {
  const slots = Array.from({ length: slotCount }, (_, index): Slot => {
    const start = headBytes + index * slotBytes;
    return {
      words: new Int32Array(memory, start, 4),
      publicKey: new Uint8Array(memory, start + 16, 32),
      signature: new Uint8Array(memory, start + 48, 64),
      message: new Uint8Array(memory, start + messageOffset, slotMessageBytesMax),
    };
  });
  return {
    counters: new Int32Array(memory, 0, 4),
    boxKey: new Uint8Array(memory, 16, 32),
    sealedKey: new Uint8Array(memory, 48, 112),
    // The number of slots is a power of two, so negative numbers work too.
    slotOf: (call) => slots[call & (slotCount - 1)] as Slot,
  };
}
