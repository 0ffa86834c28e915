import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { CommandHost } from '../../clients/cli/src/base/command.ts';
import { stopOnSignal } from '../../src/cli/serve.ts';
import { itHoldsFor } from '../support/rule.ts';

function serving(isTerminal: boolean) {
  const events = new EventEmitter();
  const written: string[] = [];
  const write = (text: string) => written.push(text);
  const host = Object.assign(events, { env: {}, stdout: { write }, stderr: { write } });
  const stop = vi.fn(() => new Promise<void>(() => {}));
  const end = vi.fn();
  stopOnSignal(host as unknown as CommandHost, { isTerminal, drainMs: 5_000, stop, end });
  return { events, written, stop, end };
}

describe('a signal', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  itHoldsFor(['SIGTERM', 'SIGINT'])(
    'each signal stops the service and prints a message on a terminal',
    (signal) => {
      const { events, written, stop } = serving(true);
      events.emit(signal);
      expect(stop).toHaveBeenCalledOnce();
      expect(written).toEqual(['Stopping… Press Ctrl-C again to stop at once.\n']);
    },
  );

  test('prints nothing without a terminal', () => {
    const { events, written, stop } = serving(false);
    events.emit('SIGINT');
    expect(stop).toHaveBeenCalledOnce();
    expect(written).toEqual([]);
  });

  test('that arrives twice at once counts once; a later one has its default effect', () => {
    const { events, stop } = serving(true);
    events.emit('SIGINT');
    events.emit('SIGINT');
    expect(stop).toHaveBeenCalledOnce();
    expect(events.listenerCount('SIGINT')).toBe(1);
    vi.advanceTimersByTime(250);
    expect(events.listenerCount('SIGINT') + events.listenerCount('SIGTERM')).toBe(0);
  });

  test('ends the process with status 1 if the stop takes 10 seconds longer than the drain', () => {
    const { events, end } = serving(false);
    events.emit('SIGTERM');
    vi.advanceTimersByTime(14_999);
    expect(end).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(end).toHaveBeenCalledWith(1);
  });
});
