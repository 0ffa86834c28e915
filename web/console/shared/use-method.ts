import type {
  DescMessage,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import { callUnaryMethod, useTransport } from '@connectrpc/connect-query';
import { useQueryClient } from '@tanstack/react-query';

export type CallMethod<I extends DescMessage, O extends DescMessage> = (
  request: MessageInitShape<I>,
) => Promise<MessageShape<O>>;

/**
 * Returns a function that calls a method and then refetches all queries. It also refetches after an
 * error, because the change may have succeeded although its response was lost. Requests and
 * responses are not kept: they contain passwords and secrets, which `useMutation` would store.
 */
export function useMethod<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
): CallMethod<I, O> {
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
