import { useSyncExternalStore } from 'react';
import { Listeners } from './listeners.ts';

/** Often enough that a time in minutes is right. */
const stepMs = 15_000;

const listeners = new Listeners();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
let users = 0;

function tick() {
  now = Date.now();
  listeners.notify();
}

/** All components share one timer. */
function subscribe(listener: () => void): () => void {
  const unsubscribe = listeners.subscribe(listener);
  if (users === 0) {
    now = Date.now();
    timer = setInterval(tick, stepMs);
  }
  users++;
  return () => {
    unsubscribe();
    users--;
    if (users === 0) clearInterval(timer);
  };
}

/** The time in milliseconds since 1970, updated every 15 seconds. */
export function useMinuteClock(): number {
  return useSyncExternalStore(subscribe, () => now);
}
