import { MutationCache, QueryClient } from '@tanstack/react-query';
import { reasonOf } from './session/reason.ts';

const retriesMax = 2;

/**
 * What was fetched is fetched anew after every action, which may have changed it. What is
 * asked for without a connection fails and says so, rather than being done once there is one.
 */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    mutationCache: new MutationCache({ onSuccess: () => void client.invalidateQueries() }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        refetchOnReconnect: true,
        networkMode: 'always',
        // What the service has answered it would answer again.
        retry: (failures, error) => reasonOf(error) === undefined && failures < retriesMax,
      },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}
