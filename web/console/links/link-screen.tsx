import { useQuery } from '@connectrpc/connect-query';
import { Button, Group } from '@mantine/core';
import { IconCancel } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { ExpandableList } from '../shared/expandable-list.tsx';
import { Facts } from '../shared/facts.tsx';
import { QueryResult } from '../shared/query-result.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { ActionMenu } from '../shared/row-menu.tsx';
import { Screen } from '../shared/screen.tsx';
import { accessText, endLabel, endTimeOf, LinkStateBadge, linkPhrase } from './link-state.tsx';
import { useEditLink } from './use-edit-link.tsx';
import { useRevokeLink } from './use-revoke-link.ts';
import { ViewsSection } from './views/views-section.tsx';

export function LinkScreen() {
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
    <Screen
      title={link?.name || document?.name || 'Link'}
      parent={
        <TextLink to="/workspaces/$workspaceId/links" params={{ workspaceId }}>
          Links
        </TextLink>
      }
      actions={link === undefined ? undefined : <Actions link={link} document={document} />}
    >
      <QueryResult value={link} query={query} label="link">
        {(known) => (
          <>
            <LinkFacts link={known} document={document} />
            <ViewsSection link={known} pageCount={document?.pageCount ?? 0} />
          </>
        )}
      </QueryResult>
    </Screen>
  );
}

type OfLink = { readonly link: Link; readonly document: Document | undefined };

function Actions({ link, document }: OfLink) {
  const mayChange = useHasScope()('links:write');
  const revoke = useRevokeLink();
  const { edit, dialog } = useEditLink();
  const phrase = linkPhrase(link, document?.name);
  if (!mayChange || link.revokeTime !== undefined) return null;
  return (
    <>
      <Button variant="default" onClick={() => edit(link)}>
        Edit
      </Button>
      <ActionMenu
        name={phrase}
        actions={[{ label: 'Revoke', icon: IconCancel, run: () => revoke(link, phrase) }]}
      />
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
        { name: 'State', value: <LinkStateBadge link={link} /> },
        { name: 'URL', value: <LinkUrl link={link} /> },
        {
          name: 'Document',
          value: (
            <TextLink to="/workspaces/$workspaceId/documents/$documentId" params={params} inherit>
              {document?.name ?? documentId}
            </TextLink>
          ),
        },
        { name: 'Access', value: accessText(link) },
        ...(link.allowList.length === 0
          ? []
          : [{ name: 'People', value: <ExpandableList items={link.allowList} /> }]),
        ...(link.blockList.length === 0
          ? []
          : [{ name: 'Blocked', value: <ExpandableList items={link.blockList} /> }]),
        { name: 'Download', value: link.allowDownload ? 'Allowed' : 'Not allowed' },
        { name: endLabel(link), value: <DateTime time={endTimeOf(link)} precision="minute" /> },
        { name: 'Created', value: <DateTime time={createTime} precision="minute" /> },
        { name: 'Link ID', value: <CopyableText text={id} label="link ID" /> },
      ]}
    />
  );
}

/** A revoked link never works again, so its URL is not shown. */
function LinkUrl({ link: { url, revokeTime } }: { readonly link: Link }) {
  if (revokeTime !== undefined) return <>—</>;
  return (
    <Group gap="xs">
      <CopyableText text={url} label="URL" />
      <Button
        component="a"
        href={url}
        target="_blank"
        rel="noopener noreferrer"
        variant="default"
        size="compact-xs"
        title="Opens in a new tab. Your visit counts as a view."
      >
        Open
      </Button>
    </Group>
  );
}
