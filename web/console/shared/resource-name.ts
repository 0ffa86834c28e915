/** Names of the resources that audit events contain only as IDs. */
import { useQuery } from '@connectrpc/connect-query';
import { ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { displayName } from './display-name.ts';

/** The scope for each kind of resource, by the prefix of its ID. */
const readScopes = {
  cli_: 'clients:read',
  cus_: 'customers:read',
  usr_: 'users:read',
  ws_: 'workspaces:read',
} as const;

type Prefix = keyof typeof readScopes;

/** The kind of a resource that the user can open. */
export function useReadablePrefix(id: string): Prefix | undefined {
  const hasScope = useHasScope();
  const prefix = id.slice(0, id.indexOf('_') + 1);
  return isPrefix(prefix) && hasScope(readScopes[prefix]) ? prefix : undefined;
}

const isPrefix = (text: string): text is Prefix => text in readScopes;

/** The name; undefined while it is loading, or if the user cannot read it or it has none. */
export function useResourceName(id: string): string | undefined {
  const prefix = useReadablePrefix(id);
  // A name that is a little old is better than a request for each event.
  const options = (wanted: Prefix) => ({
    enabled: prefix === wanted,
    staleTime: 'static' as const,
    retry: false,
  });
  const { getClient } = ClientService.method;
  const client = useQuery(getClient, { clientId: id }, options('cli_')).data?.client;
  const { getCustomer } = CustomerService.method;
  const customer = useQuery(getCustomer, { customerId: id }, options('cus_')).data?.customer;
  const { getUser } = UserService.method;
  const user = useQuery(getUser, { userId: id }, options('usr_')).data?.user;
  const { getWorkspace } = WorkspaceService.method;
  const workspace = useQuery(getWorkspace, { workspaceId: id }, options('ws_')).data?.workspace;
  const name = client?.name ?? customer?.name ?? workspace?.name ?? (user && displayName(user));
  return name === '' ? undefined : name;
}
