import { MutationCache, QueryClient } from '@tanstack/react-query';
import { reasonOf } from './session/reason.ts';

const retriesMax = 2;

/** What was fetched is fetched anew after every action, which may have changed it. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    mutationCache: new MutationCache({ onSuccess: () => void client.invalidateQueries() }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // What the service has answered it would answer again.
        retry: (failures, error) => reasonOf(error) === undefined && failures < retriesMax,
      },
    },
  });
  return client;
}
