/** Actions: calls that change something. */
import type {
  DescMessage,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import { callUnaryMethod, useTransport } from '@connectrpc/connect-query';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';

export type Act<I extends DescMessage, O extends DescMessage> = (
  request: MessageInitShape<I>,
) => Promise<MessageShape<O>>;

/**
 * Calls a method that changes something, and then has everything fetched anew; after a failure,
 * too, since the answer may be all that was lost. Nothing of a call is kept: passwords are in some
 * requests and secrets in some answers, and a query library's mutation would remember both.
 */
export function useAct<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
): Act<I, O> {
  const transport = useTransport();
  const queries = useQueryClient();
  return async (request) => {
    try {
      return await callUnaryMethod(transport, method, request);
    } finally {
      void queries.invalidateQueries();
    }
  };
}

export type Acting = {
  readonly isPending: boolean;
  /** Undefined where it went well, and before. */
  readonly error: unknown;
  /** Tells whether it went well. While one is under way, another is not begun. */
  run(work: () => Promise<unknown>): Promise<boolean>;
  /** Forgets the error. */
  clear(): void;
};

/** How an action goes, for what shows it. */
export function useActing(): Acting {
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const isRunning = useRef(false);
  return {
    isPending,
    error,
    clear: () => setError(undefined),
    async run(work) {
      if (isRunning.current) return false;
      isRunning.current = true;
      setPending(true);
      setError(undefined);
      try {
        await work();
        return true;
      } catch (thrown) {
        setError(thrown);
        return false;
      } finally {
        isRunning.current = false;
        setPending(false);
      }
    },
  };
}
