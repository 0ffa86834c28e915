import { useQuery } from '@connectrpc/connect-query';
import { useParams } from '@tanstack/react-router';
import { LinkService, type LinkView } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { nameErased } from '../shared/name-erased.ts';
import { TextLink } from '../shared/router-links.tsx';
import { linkTitle } from './link-state.tsx';

/** The link of a view. A link without a name is fetched once. */
export function LinkName({ view }: { readonly view: Pick<LinkView, 'linkId' | 'linkName'> }) {
  const { workspaceId = '' } = useParams({ strict: false });
  const { linkId, linkName } = view;
  const { data } = useQuery(
    LinkService.method.getLink,
    { workspaceId, linkId },
    { enabled: linkName === '', staleTime: 'static', retry: false },
  );
  const unnamed = data?.link === undefined ? 'Link' : linkTitle(data.link);
  const title = linkName === '' ? unnamed : nameErased(linkName);
  return (
    <TextLink
      to="/workspaces/$workspaceId/links/$linkId"
      params={{ workspaceId, linkId }}
      title={title}
    >
      {title}
    </TextLink>
  );
}
