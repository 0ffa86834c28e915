import { QueryClient } from '@tanstack/react-query';
import { reasonOf } from './session/error-details.ts';

const retriesMax = 2;

/** What is asked for without a connection fails and says so, rather than waiting for one. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        refetchOnReconnect: true,
        networkMode: 'always',
        // What the service has answered it would answer again.
        retry: (failures, error) => reasonOf(error) === undefined && failures < retriesMax,
      },
    },
  });
}
