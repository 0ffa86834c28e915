// Ends a call at its deadline: the caller gets an error, the handler's signal is aborted, and the
// handler's result is ignored.
import { Code } from '@connectrpc/connect';
import type { Call } from '../../api/call.ts';
import { Failure } from '../../base/errors/errors.ts';

export function untilDeadline<T>({ context }: Call, work: Promise<T>): Promise<T> {
  const { signal } = context;
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      const { reason } = signal;
      if (reason instanceof Failure && reason.grpc === Code.DeadlineExceeded) reject(reason);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

export async function* untilEachDeadline<T>(
  call: Call,
  messages: AsyncIterable<T>,
): AsyncGenerator<T> {
  const iterator = messages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await untilDeadline(call, iterator.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited: `return` would wait until the handler has produced its current message.
    iterator.return?.().catch(() => {});
  }
}
