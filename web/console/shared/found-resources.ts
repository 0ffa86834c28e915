/** The resources that the service finds for a text, and their words. */
import { useQuery } from '@connectrpc/connect-query';
import { useDebouncedValue } from '@mantine/hooks';
import {
  type Icon,
  IconAddressBook,
  IconBuilding,
  IconBuildingFortress,
  IconCloudLock,
  IconDevices,
  IconFileText,
  IconFingerprint,
  IconFolder,
  IconKey,
  IconLayoutGrid,
  IconLink,
  IconMail,
  IconPasswordFingerprint,
  IconServer,
  IconTargetArrow,
  IconUser,
  IconWallet,
  IconWorld,
} from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import {
  ResourceKind,
  type SearchResult,
  SearchService,
} from '../../../gen/latchkey/identity/v1/search_pb.js';
import { nameErased } from './name-erased.ts';
import { shortId } from './short-id.ts';

const pauseMs = 150;
const queryLength = { min: 2, max: 200 };

export type FoundResource = {
  readonly result: SearchResult;
  /** The name, or the short id of a resource without one. */
  readonly label: string;
  /** The kind, the details and the owners. */
  readonly description: string;
  readonly icon: Icon;
};

export type FoundResources = {
  readonly found: readonly FoundResource[];
  /** Whether the service has not answered yet. */
  readonly isPending: boolean;
};

/** The results of an earlier text stay while they match, until the service answers. */
export function useFoundResources(text: string, pageSize: number): FoundResources {
  const wanted = text.trim();
  const [query] = useDebouncedValue(wanted, pauseMs);
  const { data, isPlaceholderData, isFetching } = useQuery(
    SearchService.method.search,
    { query, pageSize },
    { enabled: isLongEnough(query), placeholderData: keepPreviousData },
  );
  if (data === undefined || !isLongEnough(wanted)) {
    return { found: [], isPending: isLongEnough(wanted) && (isFetching || query !== wanted) };
  }
  const isOld = isPlaceholderData || query !== wanted;
  const results = isOld ? data.results.filter((result) => contains(result, wanted)) : data.results;
  return { found: results.flatMap(describe), isPending: isOld };
}

const isLongEnough = ({ length }: string) => length >= queryLength.min && length <= queryLength.max;

const contains = ({ id, name, detail }: SearchResult, text: string) =>
  `${name}\n${detail}\n${id}`.toLowerCase().includes(text.toLowerCase());

/** Nothing for a kind that only a newer server knows. */
function describe(result: SearchResult): FoundResource[] {
  const [kind, icon] = kinds[result.kind] ?? [];
  if (kind === undefined || icon === undefined) return [];
  const owners = result.parents.map(({ id, name }) => name || shortId(id));
  return [
    {
      result,
      label: nameErased(result.name) || shortId(result.id),
      description: [kind, result.detail, ...owners].filter(Boolean).join(' · '),
      icon,
    },
  ];
}

const kinds: Partial<Record<ResourceKind, readonly [string, Icon]>> = {
  [ResourceKind.CLIENT]: ['Client', IconServer],
  [ResourceKind.CLIENT_SECRET]: ['Client secret', IconKey],
  [ResourceKind.CUSTOMER]: ['Customer', IconBuilding],
  [ResourceKind.CUSTOMER_API_KEY]: ['Customer API key', IconKey],
  [ResourceKind.ACCOUNT]: ['Account', IconWallet],
  [ResourceKind.USER]: ['User', IconUser],
  [ResourceKind.AUDIENCE]: ['Audience', IconTargetArrow],
  [ResourceKind.TRUSTED_ISSUER]: ['Trusted issuer', IconCloudLock],
  [ResourceKind.IDENTITY_PROVIDER]: ['Sign-in provider', IconBuildingFortress],
  [ResourceKind.SIGNING_KEY]: ['Signing key', IconFingerprint],
  [ResourceKind.WORKSPACE]: ['Workspace', IconLayoutGrid],
  [ResourceKind.INVITATION]: ['Invitation', IconMail],
  [ResourceKind.WORKSPACE_API_KEY]: ['API key', IconKey],
  [ResourceKind.DOCUMENT]: ['Document', IconFileText],
  [ResourceKind.FOLDER]: ['Folder', IconFolder],
  [ResourceKind.LINK]: ['Link', IconLink],
  [ResourceKind.VISITOR]: ['Reader', IconAddressBook],
  [ResourceKind.CLIENT_KEY]: ['Public key', IconKey],
  [ResourceKind.FEDERATED_IDENTITY]: ['Federated identity', IconCloudLock],
  [ResourceKind.DOMAIN]: ['Domain', IconWorld],
  [ResourceKind.PASSKEY]: ['Passkey', IconPasswordFingerprint],
  [ResourceKind.USER_IDENTITY]: ['Linked account', IconBuildingFortress],
  [ResourceKind.SESSION]: ['Session', IconDevices],
};
