// Bounds the calls that begin in one turn of the event loop. Under overload, further calls wait in
// memory, so turns stay short, and the operations port and new connections get their turn.
import type { Server } from 'node:net';
import { setImmediate } from 'node:timers';
import { type Failure, fail } from '../base/errors/errors.ts';
import { countedWarning } from '../base/limits/counted-warning.ts';
import { createFairAmounts, createFairQueue } from '../base/limits/fair-share.ts';

export type WaitingCall = {
  /** Whether it is the first call of its connection. */
  readonly isFirst: boolean;
  /** The network of the caller. Networks take turns. */
  readonly network: string;
  /** The memory that its body may need while it waits. */
  readonly bodyBytes: number;
  isGone(): boolean;
  begin(): void;
  refuse(failure: Failure): void;
};

export type CallAdmission = {
  /** Begins fewer calls in turns in which the server accepts connections. */
  watch(server: Server): void;
  /** Returns whether a call may begin at once. Otherwise it must `wait`. */
  tryBegin(): boolean;
  /**
   * Begins the call in a later turn, or refuses it: at once if too many calls wait, of all networks
   * or of this one, or after the time limit.
   */
  wait(call: WaitingCall): void;
};

export type AdmissionLimits = {
  readonly callsPerTurnMax: number;
  /** Calls that may wait. Further ones are refused at once. A network alone has half of them. */
  readonly waitingMax: number;
  /** The maximum memory for the bodies of waiting calls. A network alone has half of it. */
  readonly waitingBytesMax: number;
  readonly waitMs: number;
};

/** 32 calls need about 2 ms. With more, a check of the operations port takes longer. */
const admissionLimits: AdmissionLimits = {
  callsPerTurnMax: 32,
  waitingMax: 8_192,
  waitingBytesMax: 64 * 1024 * 1024,
  waitMs: 2_000,
};

/**
 * The waiting calls that begin in a turn in which a connection was accepted. Node accepts one
 * connection in each turn, so more of them would let new connections wait.
 */
const callsPerAcceptMax = 4;

export type AdmissionOptions = {
  readonly limits?: Partial<AdmissionLimits> | undefined;
  readonly warn: (facts: object, message: string) => void;
};

type Entry = { readonly call: WaitingCall; readonly since: number };

export function createAdmission(options: AdmissionOptions): CallAdmission {
  const limits = { ...admissionLimits, ...options.limits };
  const { callsPerTurnMax, waitingMax, waitingBytesMax, waitMs } = limits;
  /** The first calls of their connections, and all others. */
  const first = createFairQueue<Entry>(waitingMax);
  const others = createFairQueue<Entry>(waitingMax);
  /** Of both queues, because a network could otherwise fill each of them. */
  const places = createFairAmounts(waitingMax);
  const bodyBytes = createFairAmounts(waitingBytesMax);
  let waiting = 0;
  let callsInTurn = 0;
  let isScheduled = false;
  let isAccepting = false;
  const warnOfRefusal = countedWarning((refused) =>
    options.warn({ refused }, 'calls were refused because of overload'),
  );

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(startTurn);
  }

  function startTurn(): void {
    isScheduled = false;
    callsInTurn = 0;
    const lateBefore = performance.now() - waitMs;
    const max = Math.min(callsPerTurnMax, isAccepting ? callsPerAcceptMax : callsPerTurnMax);
    isAccepting = false;
    while (callsInTurn < max) {
      // Alternates, so that new connections cannot hold up the other calls.
      const [preferred, second] = callsInTurn % 2 === 0 ? [first, others] : [others, first];
      const entry = preferred.next() ?? second.next();
      if (entry === undefined) break;
      waiting -= 1;
      places.add(entry.call.network, -1);
      bodyBytes.add(entry.call.network, -entry.call.bodyBytes);
      if (entry.call.isGone()) continue;
      callsInTurn += 1;
      if (entry.since < lateBefore) refuse(entry.call);
      else entry.call.begin();
    }
    if (callsInTurn > 0) schedule();
  }

  function refuse(call: WaitingCall): void {
    warnOfRefusal();
    call.refuse(fail('unavailable', 'The service is overloaded.', { retryAfterSeconds: 1 }));
  }

  return {
    watch(server) {
      server.on('connection', () => {
        isAccepting = true;
      });
    },
    tryBegin() {
      if (callsInTurn >= callsPerTurnMax || waiting > 0) return false;
      callsInTurn += 1;
      schedule();
      return true;
    },
    wait(call) {
      const { network, isFirst } = call;
      const hasBytes = call.bodyBytes === 0 || bodyBytes.hasShare(network);
      const entry = { call, since: performance.now() };
      const isAdded =
        hasBytes && places.hasShare(network) && (isFirst ? first : others).add([network], entry);
      if (!isAdded) {
        refuse(call);
        return;
      }
      waiting += 1;
      places.add(network, 1);
      bodyBytes.add(network, call.bodyBytes);
      schedule();
    },
  };
}
