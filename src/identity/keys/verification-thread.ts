// A thread that verifies while the main thread does its other work. At the end of a turn of the
// event loop, the main thread reads the results and computes the missing ones itself. So a call
// does not depend on the thread, which may be slow or end, and the thread never has to wake up the
// main thread.
import { setImmediate } from 'node:timers';
import { Worker } from 'node:worker_threads';
import {
  counters as at,
  createSlotMemory,
  type Slot,
  type Slots,
  slotMessageBytesMax,
  slotsIn,
  states,
  words as word,
} from './thread-slots.ts';

export type VerificationThread = {
  /**
   * Returns whether a signature of 64 bytes is valid, or undefined if the caller is to verify it at
   * once. Calls `here` on the main thread if the other thread is late.
   */
  verify<T>(call: Verification, here: () => T): Promise<boolean | T> | undefined;
  /** Ends the thread. */
  close(): Promise<void>;
};

type Verification = Readonly<Record<'publicKey' | 'message' | 'signature', Uint8Array>>;

export type VerificationThreadOptions = {
  /** The file of the built thread-program.ts. */
  readonly program: string;
  /** Called if the thread cannot start or ends with an error. It is not started again. */
  readonly onError: (error: unknown) => void;
};

/** The thread is started when so many calls begin in one turn of the event loop. */
const startAt = 8;
/** A waiting thread is woken up when so many calls are queued, since each time costs some µs. */
const wakeAt = 4;

type Call = {
  readonly slot: Slot;
  /** Called with the slot if it has a result, otherwise with undefined. */
  readonly finish: (slot: Slot | undefined) => void;
};

type Running = Slots & { readonly worker: Worker };

export function createVerificationThread(options: VerificationThreadOptions): VerificationThread {
  let running: Running | undefined;
  let hasEnded = false;
  /** The calls without a result. */
  let calls: Call[] = [];
  let callsInTurn = 0;
  let queuedCalls = 0;
  /** The number of calls that were queued since the thread was woken up. */
  let unannouncedCalls = 0;

  function queue<T>(slot: Slot, read: (done: Slot | undefined) => T): Promise<T> {
    Atomics.store(slot.words, word.state, states.queued);
    queuedCalls = (queuedCalls + 1) | 0;
    unannouncedCalls += 1;
    if (running !== undefined) announce(running.counters);
    return new Promise((resolve, reject) => {
      const finish = (done: Slot | undefined) => {
        try {
          resolve(read(done));
        } catch (error) {
          reject(error);
        }
      };
      calls.push({ slot, finish });
    });
  }

  function announce(counters: Int32Array): void {
    Atomics.store(counters, at.queued, queuedCalls);
    if (unannouncedCalls < wakeAt) return;
    unannouncedCalls = 0;
    Atomics.add(counters, at.wakes, 1);
    Atomics.notify(counters, at.wakes);
  }

  /** Finishes all calls of the turn, the last ones first. The thread meanwhile goes on. */
  function endTurn(): void {
    const ended = calls;
    calls = [];
    callsInTurn = 0;
    unannouncedCalls = 0;
    for (const call of ended.reverse()) finishCall(call);
  }

  function tryToStart(): void {
    try {
      running = start();
    } catch (error) {
      hasEnded = true;
      options.onError(error);
    }
  }

  function start(): Running {
    const memory = createSlotMemory();
    // The thread needs no settings and no secrets of the environment.
    const worker = new Worker(options.program, { workerData: memory, env: {}, execArgv: [] });
    worker.unref();
    worker.on('error', options.onError);
    worker.on('exit', () => {
      hasEnded = true;
      running = undefined;
    });
    return { ...slotsIn(memory), worker };
  }

  return {
    verify({ publicKey, message, signature }, here) {
      callsInTurn += 1;
      if (callsInTurn === 1) setImmediate(endTurn);
      if (callsInTurn === startAt && running === undefined && !hasEnded) tryToStart();
      if (running === undefined || message.length > slotMessageBytesMax) return undefined;
      const slot = running.slotOf(queuedCalls);
      if (Atomics.load(slot.words, word.state) !== states.free) return undefined;
      slot.words[word.messageLength] = message.length;
      slot.message.set(message);
      slot.publicKey.set(publicKey);
      slot.signature.set(signature);
      return queue(slot, (done) => (done === undefined ? here() : done.words[word.result] === 1));
    },
    async close() {
      hasEnded = true;
      await running?.worker.terminate();
    },
  };
}

function finishCall({ slot, finish }: Call): void {
  const { free, queued, taken, abandoned } = states;
  const change = (from: number, to: number) =>
    Atomics.compareExchange(slot.words, word.state, from, to) === from;
  if (change(queued, free) || change(taken, abandoned)) {
    finish(undefined);
  } else {
    finish(slot);
    Atomics.store(slot.words, word.state, free);
  }
}
