// Reads the waits for locks from the log of PostgreSQL, which logs each wait of at least 1 ms.

export const settings = ['log_lock_waits=on', 'deadlock_timeout=1ms'];

/** `onLog` receives the log. `take` returns the waits since its last call: `{ms, lock}`. */
export function collectLockWaits() {
  let rest = '';
  let waits = [];
  return {
    onLog(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        const [, lock, ms] = /process \d+ acquired (.+) after ([\d.]+) ms/.exec(line) ?? [];
        if (ms !== undefined) waits.push({ ms: Number(ms), lock });
      }
    },
    take() {
      const taken = waits;
      waits = [];
      return taken;
    },
  };
}

/** Returns whether a transaction waited until another one ended. */
export const isForTransaction = ({ lock }) => / on (transaction|tuple|virtual)/.test(lock);
