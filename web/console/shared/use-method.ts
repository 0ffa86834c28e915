import type {
  DescMessage,
  DescMethodUnary,
  DescService,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import { callUnaryMethod, useTransport } from '@connectrpc/connect-query';
import { useQueryClient } from '@tanstack/react-query';

export type CallMethod<I extends DescMessage, O extends DescMessage> = (
  request: MessageInitShape<I>,
) => Promise<MessageShape<O>>;

/** Changes of these services change the data of the others, such as the counts of links. */
const sharing = [
  'DocumentService',
  'DomainService',
  'FolderService',
  'LinkService',
  'InsightService',
  'VisitorService',
];
const people = ['UserService', 'SessionService', 'PasskeyService'];
const accounts = ['CustomerService', 'AccountService'];

/** Whether a change of one service may change what another one returns. */
function mayChange(changed: string, other: string): boolean {
  if (changed === other || other === 'AuditService') return true;
  return [sharing, people, accounts].some((set) => set.includes(changed) && set.includes(other));
}

/** Requests again what a change of a service may have changed. */
export function useInvalidate(): (service: DescService) => Promise<void> {
  const queries = useQueryClient();
  return ({ name }) =>
    queries.invalidateQueries({
      predicate: ({ queryKey: [, key] }) => {
        const { serviceName = '' } = (key ?? {}) as { readonly serviceName?: string };
        return mayChange(name, serviceName.slice(serviceName.lastIndexOf('.') + 1));
      },
    });
}

/**
 * Returns a function that calls a method and then refetches what it may have changed. It also does
 * so after an error, because the change may have succeeded although its response was lost. Requests
 * and responses are not kept: they contain passwords and secrets, which `useMutation` would store.
 */
export function useMethod<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
): CallMethod<I, O> {
  const transport = useTransport();
  const invalidate = useInvalidate();
  return async (request) => {
    try {
      return await callUnaryMethod(transport, method, request);
    } finally {
      void invalidate(method.parent);
    }
  };
}
