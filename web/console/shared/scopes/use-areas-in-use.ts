import { useQuery } from '@connectrpc/connect-query';
import { ClientService } from '../../../../gen/latchkey/identity/v1/client_pb.js';
import { useHasScope } from '../../session/session-context.tsx';
import { areasOf, isManagementArea } from './management-scopes.ts';

/** The largest page of the API. */
const pageSize = 200;

/**
 * The areas outside the service of the newest clients, if the user may list these, and of `more`
 * scopes.
 */
export function useAreasInUse(more: readonly string[] = []): string[] {
  const enabled = useHasScope()('clients:read');
  const { data } = useQuery(ClientService.method.listClients, { pageSize }, { enabled });
  const scopes = data?.clients.flatMap((client) => client.scopes) ?? [];
  return areasOf([...scopes, ...more]).filter((area) => !isManagementArea(area));
}
