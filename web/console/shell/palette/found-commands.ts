/** The resources that the service finds for the text of the palette. */
import { useQuery } from '@connectrpc/connect-query';
import { useDebouncedValue } from '@mantine/hooks';
import {
  type Icon,
  IconAddressBook,
  IconBuilding,
  IconBuildingFortress,
  IconCloudLock,
  IconFileText,
  IconFingerprint,
  IconFolder,
  IconKey,
  IconLayoutGrid,
  IconLink,
  IconMail,
  IconServer,
  IconTargetArrow,
  IconUser,
  IconWallet,
} from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  ResourceKind,
  type SearchResult,
  SearchService,
} from '../../../../gen/latchkey/identity/v1/search_pb.js';
import { useResourcePath } from '../../shared/screens.ts';
import { shortId } from '../../shared/short-id.ts';
import type { PaletteCommand } from './commands.ts';

const pauseMs = 150;
const foundMax = 12;
const queryLength = { min: 2, max: 200 };

export type FoundResources = {
  readonly rows: readonly PaletteCommand[];
  /** Whether the service has not answered yet. */
  readonly isPending: boolean;
};

/** The rows of an earlier text stay while they match, until the service answers. */
export function useFoundResources(text: string): FoundResources {
  const wanted = text.trim();
  const [query] = useDebouncedValue(wanted, pauseMs);
  const isLongEnough = (one: string) =>
    one.length >= queryLength.min && one.length <= queryLength.max;
  const { data, isPlaceholderData, isFetching } = useQuery(
    SearchService.method.search,
    { query, pageSize: foundMax },
    { enabled: isLongEnough(query), placeholderData: keepPreviousData },
  );
  const navigate = useNavigate();
  const addressOf = useAddressOf();
  if (data === undefined || !isLongEnough(wanted)) {
    return { rows: [], isPending: isLongEnough(wanted) && (isFetching || query !== wanted) };
  }
  const isOld = isPlaceholderData || query !== wanted;
  const results = isOld ? data.results.filter((result) => contains(result, wanted)) : data.results;
  const rows = results.flatMap((result): PaletteCommand[] => {
    const address = addressOf(result);
    const { label, icon } = kinds[result.kind] ?? {};
    if (address === undefined || label === undefined || icon === undefined) return [];
    return [
      {
        id: result.id,
        group: 'Results',
        label: result.name || shortId(result.id),
        description: [label, result.detail, ...ownersOf(result)].filter(Boolean).join(' · '),
        icon,
        run: () => void navigate(address),
      },
    ];
  });
  return { rows, isPending: isOld };
}

const contains = ({ id, name, detail }: SearchResult, text: string) =>
  `${name}\n${detail}\n${id}`.toLowerCase().includes(text.toLowerCase());

const ownersOf = ({ parents }: SearchResult) => parents.map(({ id, name }) => name || shortId(id));

type Address = { readonly to: string; readonly search?: () => object };

/** The parameter of the address that searches the list of a screen. */
const listOf = (to: string, q: string): Address => ({ to, search: () => ({ q }) });

/** The screen of a resource, or else that of its owner or the list that contains it. */
function useAddressOf(): (result: SearchResult) => Address | undefined {
  const pathOf = useResourcePath();
  return ({ id, kind, name, parents: [owner], workspaceId }) => {
    const list = kinds[kind]?.list?.(workspaceId, name);
    if (list !== undefined) return list;
    const own = pathOf(id, workspaceId) ?? pathOf(owner?.id ?? '', workspaceId);
    if (own !== undefined) return { to: own };
    // The id of a client can come from another server and have no prefix.
    if (kind === ResourceKind.CLIENT) return { to: `/clients/${id}` };
    return kind === ResourceKind.CLIENT_SECRET ? { to: `/clients/${owner?.id}` } : undefined;
  };
}

type Kind = {
  readonly label: string;
  readonly icon: Icon;
  /** The list that shows resources without a detail screen. */
  readonly list?: (workspaceId: string, name: string) => Address;
};

const kinds: Partial<Record<ResourceKind, Kind>> = {
  [ResourceKind.CLIENT]: { label: 'Client', icon: IconServer },
  [ResourceKind.CLIENT_SECRET]: { label: 'Client secret', icon: IconKey },
  [ResourceKind.CUSTOMER]: { label: 'Customer', icon: IconBuilding },
  [ResourceKind.CUSTOMER_API_KEY]: { label: 'Customer API key', icon: IconKey },
  [ResourceKind.ACCOUNT]: {
    ...{ label: 'Account', icon: IconWallet },
    list: (_, name) => listOf('/accounts', name),
  },
  [ResourceKind.USER]: { label: 'User', icon: IconUser },
  [ResourceKind.AUDIENCE]: {
    ...{ label: 'Audience', icon: IconTargetArrow },
    list: (_, name) => listOf('/audiences', name),
  },
  [ResourceKind.TRUSTED_ISSUER]: { label: 'Trusted issuer', icon: IconCloudLock },
  [ResourceKind.IDENTITY_PROVIDER]: { label: 'Sign-in provider', icon: IconBuildingFortress },
  [ResourceKind.SIGNING_KEY]: {
    ...{ label: 'Signing key', icon: IconFingerprint },
    list: () => ({ to: '/signing-keys' }),
  },
  [ResourceKind.WORKSPACE]: { label: 'Workspace', icon: IconLayoutGrid },
  [ResourceKind.INVITATION]: {
    ...{ label: 'Invitation', icon: IconMail },
    list: (workspaceId) => ({ to: `/workspaces/${workspaceId}/members` }),
  },
  [ResourceKind.WORKSPACE_API_KEY]: {
    ...{ label: 'API key', icon: IconKey },
    list: (workspaceId, name) => listOf(`/workspaces/${workspaceId}/settings/api-keys`, name),
  },
  [ResourceKind.DOCUMENT]: { label: 'Document', icon: IconFileText },
  [ResourceKind.FOLDER]: { label: 'Folder', icon: IconFolder },
  [ResourceKind.LINK]: { label: 'Link', icon: IconLink },
  [ResourceKind.VISITOR]: {
    ...{ label: 'Reader', icon: IconAddressBook },
    list: (workspaceId, email) => ({
      to: `/workspaces/${workspaceId}/readers/${encodeURIComponent(email)}`,
    }),
  },
};
