import { useQuery } from '@connectrpc/connect-query';
import { Button, Group } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { Copyable } from '../parts/copyable.tsx';
import { Facts } from '../parts/facts.tsx';
import { TextLink } from '../parts/link.tsx';
import { One } from '../parts/one.tsx';
import { Page } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { useHasScope } from '../session/context.tsx';
import { useEditLink } from './edit-link.tsx';
import { calledOf, endOf, gateOf, hasEnded, StateBadge } from './link-state.tsx';
import { useRevokeLink } from './revoke-link.ts';
import { Views } from './views/views.tsx';

export function LinkPage() {
  const from = '/shell/workspaces/$workspaceId/links/$linkId';
  const { workspaceId, linkId } = useParams({ from });
  const query = useQuery(LinkService.method.getLink, { workspaceId, linkId });
  const link = query.data?.link;
  const { data } = useQuery(
    DocumentService.method.getDocument,
    { workspaceId, documentId: link?.documentId ?? '' },
    { enabled: link !== undefined },
  );
  const document = data?.document;
  return (
    <Page
      title={link?.name || document?.name || 'Link'}
      parent={
        <TextLink to="/workspaces/$workspaceId/links" params={{ workspaceId }}>
          Links
        </TextLink>
      }
      actions={link === undefined ? undefined : <Actions link={link} document={document} />}
    >
      <One value={link} query={query} label="link">
        {(known) => (
          <>
            <LinkFacts link={known} document={document} />
            <Views link={known} pageCount={document?.pageCount ?? 0} />
          </>
        )}
      </One>
    </Page>
  );
}

type OfLink = { readonly link: Link; readonly document: Document | undefined };

function Actions({ link, document }: OfLink) {
  const mayChange = useHasScope()('links:write');
  const revoke = useRevokeLink();
  const { edit, dialog } = useEditLink();
  if (!mayChange || link.revokeTime !== undefined) return null;
  return (
    <>
      <Button variant="default" onClick={() => edit(link)}>
        Edit
      </Button>
      <Button variant="default" onClick={() => revoke(link, calledOf(link, document?.name))}>
        Revoke
      </Button>
      {dialog}
    </>
  );
}

function LinkFacts({ link, document }: OfLink) {
  const { id, workspaceId, documentId, createTime } = link;
  const params = { workspaceId, documentId };
  return (
    <Facts
      facts={[
        { name: 'State', value: <StateBadge link={link} /> },
        { name: 'Address', value: <Address link={link} /> },
        {
          name: 'Document',
          value: (
            <TextLink to="/workspaces/$workspaceId/documents/$documentId" params={params} inherit>
              {document?.name ?? documentId}
            </TextLink>
          ),
        },
        { name: 'Asks for', value: gateOf(link) },
        { name: 'Download', value: link.allowDownload ? 'allowed' : 'not allowed' },
        { name: hasEnded(link) ? 'Ended' : 'Ends', value: <When time={endOf(link)} /> },
        { name: 'Created', value: <When time={createTime} /> },
        { name: 'Id', value: <Copyable text={id} label="id" /> },
      ]}
    />
  );
}

/** That of a revoked link is of no use to anybody. */
function Address({ link: { url, revokeTime } }: { readonly link: Link }) {
  if (revokeTime !== undefined) return <>none any more</>;
  return (
    <Group gap="xs">
      <Copyable text={url} label="address" />
      <Button
        component="a"
        href={url}
        target="_blank"
        rel="noopener noreferrer"
        variant="default"
        size="compact-xs"
        title="In another tab. It counts as a view, once you have passed what it asks for."
      >
        Open
      </Button>
    </Group>
  );
}
