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
  free: 0,
  queued: 1,
  taken: 2,
  done: 3,
  /** The main thread no longer waits for the call that the signature thread has taken. */
  abandoned: 4,
};

export const words = {
  state: 0,
  job: 1,
  messageLength: 2,
  /** 1 if the message was signed or the signature is valid, otherwise 0. */
  result: 3,
};

export const jobs = { verify: 0, sign: 1 };

export const counters = {
  queued: 0,
  wakes: 1,
  started: 2,
  sealedKeys: 3,
};

export type Slot = {
  readonly words: Int32Array;
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
  readonly message: Uint8Array;
};

export type Slots = {
  readonly counters: Int32Array;
  readonly boxKey: Uint8Array;
  /** The private key that is to sign, encrypted with the box key, or zeros. */
  readonly sealedKey: Uint8Array;
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
