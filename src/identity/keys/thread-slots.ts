// The memory that the main thread and the verification thread share: a ring of slots, each for one
// call.

const slotCount = 128;
const slotBytes = 2_048;
const messageOffset = 128;
const countersBytes = 64;

/** Longer messages stay on the main thread. */
export const slotMessageBytesMax = slotBytes - messageOffset;

/** The states of a slot. A compare-and-exchange decides which thread computes a call. */
export const states = {
  /** The main thread may use the slot for the next call. */
  free: 0,
  queued: 1,
  /** The verification thread computes the call. */
  taken: 2,
  done: 3,
  /** The main thread no longer waits for the call that the verification thread has taken. */
  abandoned: 4,
};

/** The indexes of the words of a slot. */
export const words = {
  state: 0,
  messageLength: 1,
  /** 1 for a valid signature, otherwise 0. */
  result: 2,
};

/** The indexes of the counters. */
export const counters = {
  /** The number of calls that were queued; a signed number of 32 bits, which wraps around. */
  queued: 0,
  /** The number of times that the verification thread was woken up. */
  wakes: 1,
};

export type Slot = {
  readonly words: Int32Array;
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
  readonly message: Uint8Array;
};

export type Slots = {
  readonly counters: Int32Array;
  /** Returns the slot of a call, given the number of calls that were queued before it. */
  readonly slotOf: (call: number) => Slot;
};

export function createSlotMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(countersBytes + slotCount * slotBytes);
}

export function slotsIn(memory: SharedArrayBuffer): Slots {
  const slots = Array.from({ length: slotCount }, (_, index): Slot => {
    const start = countersBytes + index * slotBytes;
    return {
      words: new Int32Array(memory, start, 3),
      publicKey: new Uint8Array(memory, start + 16, 32),
      signature: new Uint8Array(memory, start + 48, 64),
      message: new Uint8Array(memory, start + messageOffset, slotMessageBytesMax),
    };
  });
  return {
    counters: new Int32Array(memory, 0, 2),
    // The number of slots is a power of two, so negative numbers work too.
    slotOf: (call) => slots[call & (slotCount - 1)] as Slot,
  };
}
