import { QueryClient } from '@tanstack/react-query';
import { reasonOf } from './session/error-details.ts';

const retriesMax = 2;

/** Queries without a connection fail with an error instead of waiting. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        refetchOnReconnect: true,
        networkMode: 'always',
        // A retry of a request that the service has rejected returns the same error.
        retry: (failures, error) => reasonOf(error) === undefined && failures < retriesMax,
      },
    },
  });
}
