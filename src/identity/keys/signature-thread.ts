// A thread that signs and verifies while the main thread does its other work. At the end of a turn
// of the event loop, the main thread reads the results. At the end of the next one, it computes the
// missing ones itself. So a call does not depend on the thread, which may be slow or end, and the
// thread never has to wake up the main thread.
import { setImmediate } from 'node:timers';
import { Worker } from 'node:worker_threads';
import {
  counters as at,
  createSlotMemory,
  jobs,
  type Slot,
  type Slots,
  slotMessageBytesMax,
  slotsIn,
  states,
  words as word,
} from './thread-slots.ts';

export type SignatureThread = {
  setKey(key: SealableKey): void;
  /** Erases the thread's copy of a private key. Calls that have begun are still answered. */
  forgetKey(key: SealableKey): void;
  /** Undefined: sign at once. Calls `here` on the main thread if the thread is late. */
  sign<T>(key: SealableKey, message: Uint8Array, here: () => T): Promise<Buffer | T> | undefined;
  /** Returns whether a signature of 64 bytes is valid. Otherwise the same as `sign`. */
  verify<T>(call: Verification, here: () => T): Promise<boolean | T> | undefined;
  close(): Promise<void>;
};

/** A private key that leaves the guarded memory only in encrypted form. */
export type SealableKey = {
  readonly publicKey: Uint8Array;
  sealFor(boxKey: Uint8Array): Uint8Array;
};

type Verification = Readonly<Record<'publicKey' | 'message' | 'signature', Uint8Array>>;

export type SignatureThreadOptions = {
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
  readonly finish: (slot: Slot | undefined) => void;
  /** Whether the thread had a whole turn for it. */
  isDue: boolean;
};

type Running = Slots & { readonly worker: Worker };

export function createSignatureThread(options: SignatureThreadOptions): SignatureThread {
  let running: Running | undefined;
  let hasEnded = false;
  let newestKey: SealableKey | undefined;
  let sealedKey: SealableKey | undefined;
  let calls: Call[] = [];
  let callsInTurn = 0;
  let isEndScheduled = false;
  let queuedCalls = 0;
  let unannouncedCalls = 0;

  function findSlot(message: Uint8Array): Slot | undefined {
    callsInTurn += 1;
    scheduleEnd();
    if (callsInTurn === startAt && running === undefined && !hasEnded) tryToStart();
    if (running === undefined || message.length > slotMessageBytesMax) return undefined;
    const slot = running.slotOf(queuedCalls);
    if (Atomics.load(slot.words, word.state) !== states.free) return undefined;
    slot.words[word.messageLength] = message.length;
    slot.message.set(message);
    return slot;
  }

  function handOver(key: SealableKey): boolean {
    if (sealedKey === key) return true;
    if (running === undefined || Atomics.load(running.counters, at.started) === 0) return false;
    running.sealedKey.set(key.sealFor(running.boxKey));
    Atomics.add(running.counters, at.sealedKeys, 1);
    sealedKey = key;
    return true;
  }

  function eraseKey(): void {
    if (sealedKey === undefined) return;
    sealedKey = undefined;
    if (running === undefined) return;
    running.sealedKey.fill(0);
    Atomics.add(running.counters, at.sealedKeys, 1);
    wakeUp(running.counters);
  }

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
      calls.push({ slot, finish, isDue: false });
    });
  }

  function announce(counters: Int32Array): void {
    Atomics.store(counters, at.queued, queuedCalls);
    if (unannouncedCalls < wakeAt) return;
    unannouncedCalls = 0;
    wakeUp(counters);
  }

  function scheduleEnd(): void {
    if (isEndScheduled) return;
    isEndScheduled = true;
    setImmediate(endTurn);
  }

  /** Last calls first, while the thread works. Calls that it was woken up for get another turn. */
  function endTurn(): void {
    const ended = calls;
    const areDue = callsInTurn < wakeAt;
    const later: Call[] = [];
    calls = [];
    callsInTurn = 0;
    isEndScheduled = false;
    unannouncedCalls = 0;
    for (const call of ended.reverse()) {
      if (areDue || call.isDue || isDone(call.slot)) {
        finishCall(call);
      } else {
        call.isDue = true;
        later.push(call);
      }
    }
    if (later.length === 0) return;
    calls.unshift(...later.reverse());
    scheduleEnd();
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
    setKey(key) {
      newestKey = key;
      eraseKey();
    },
    forgetKey(key) {
      if (key !== newestKey) return;
      newestKey = undefined;
      eraseKey();
    },
    sign(key, message, here) {
      const slot = key === newestKey ? findSlot(message) : undefined;
      if (slot === undefined || !handOver(key)) return undefined;
      slot.words[word.job] = jobs.sign;
      slot.publicKey.set(key.publicKey);
      return queue(slot, (done) =>
        done !== undefined && isGood(done) ? Buffer.from(done.signature) : here(),
      );
    },
    verify({ publicKey, message, signature }, here) {
      const slot = findSlot(message);
      if (slot === undefined) return undefined;
      slot.words[word.job] = jobs.verify;
      slot.publicKey.set(publicKey);
      slot.signature.set(signature);
      return queue(slot, (done) => (done === undefined ? here() : isGood(done)));
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

const isDone = ({ words }: Slot) => Atomics.load(words, word.state) === states.done;

const isGood = ({ words }: Slot) => words[word.result] === 1;

function wakeUp(counters: Int32Array): void {
  Atomics.add(counters, at.wakes, 1);
  Atomics.notify(counters, at.wakes);
}
