/** The commands that open the resources that the service finds for the text of the palette. */
import { useNavigate } from '@tanstack/react-router';
import { ResourceKind, type SearchResult } from '../../../../gen/latchkey/identity/v1/search_pb.js';
import { useFoundResources } from '../../shared/found-resources.ts';
import { useResourcePath } from '../../shared/screens.ts';
import type { PaletteCommand } from './commands.ts';

const foundMax = 12;

export type FoundCommands = {
  readonly rows: readonly PaletteCommand[];
  /** Whether the service has not answered yet. */
  readonly isPending: boolean;
};

export function useFoundCommands(text: string): FoundCommands {
  const { found, isPending } = useFoundResources(text, foundMax);
  const navigate = useNavigate();
  const addressOf = useAddressOf();
  const rows = found.flatMap(({ result, ...shown }): PaletteCommand[] => {
    const address = addressOf(result);
    if (address === undefined) return [];
    const run = () => void navigate(address);
    return [{ id: result.id, group: 'Results', ...shown, run }];
  });
  return { rows, isPending };
}

type Address = { readonly to: string; readonly search?: () => object };

/** The parameter of the address that searches the list of a screen. */
const listOf = (to: string, q: string): Address => ({ to, search: () => ({ q }) });

/** The screen of a resource, or else that of its owner or the list that contains it. */
function useAddressOf(): (result: SearchResult) => Address | undefined {
  const pathOf = useResourcePath();
  return ({ id, kind, name, parents: [owner], workspaceId }) => {
    const list = lists[kind]?.(workspaceId, name);
    if (list !== undefined) return list;
    const own = pathOf(id, workspaceId) ?? pathOf(owner?.id ?? '', workspaceId);
    if (own !== undefined) return { to: own };
    // The id of a client can come from another server and have no prefix.
    if (kind === ResourceKind.CLIENT) return { to: `/clients/${id}` };
    return ofClients.has(kind) ? { to: `/clients/${owner?.id}` } : undefined;
  };
}

/** The kinds whose screen is that of their client. */
const ofClients: ReadonlySet<ResourceKind> = new Set([
  ResourceKind.CLIENT_SECRET,
  ResourceKind.CLIENT_KEY,
  ResourceKind.FEDERATED_IDENTITY,
]);

/** The lists that show resources without a detail screen. */
const lists: Partial<Record<ResourceKind, (workspaceId: string, name: string) => Address>> = {
  [ResourceKind.ACCOUNT]: (_, name) => listOf('/accounts', name),
  [ResourceKind.AUDIENCE]: (_, name) => listOf('/audiences', name),
  [ResourceKind.SIGNING_KEY]: () => ({ to: '/signing-keys' }),
  [ResourceKind.INVITATION]: (workspaceId) => ({ to: `/workspaces/${workspaceId}/members` }),
  [ResourceKind.WORKSPACE_API_KEY]: (workspaceId, name) =>
    listOf(`/workspaces/${workspaceId}/settings/api-keys`, name),
  [ResourceKind.DOMAIN]: (workspaceId) => ({ to: `/workspaces/${workspaceId}/settings/domains` }),
  [ResourceKind.VISITOR]: (workspaceId, email) => ({
    to: `/workspaces/${workspaceId}/readers/${encodeURIComponent(email)}`,
  }),
};
