/** A workspace's recent readers, the user's notices, most viewed items, links that expire soon. */
import { timestampDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { useQuery } from '@connectrpc/connect-query';
import { SimpleGrid } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { VisitorService } from '../../../gen/latchkey/sharing/v1/visitor_pb.js';
import { linkTitle } from '../links/link-state.tsx';
import { useHasScope } from '../session/session-context.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { ButtonLink, TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { Checklist } from './checklist.tsx';
import classes from './home.module.css';
import { HomeCard, isLive } from './home-card.tsx';
import { NoticesCard } from './notices-card.tsx';

const pageSize = 5;
const soonMs = 14 * 86_400_000;

export function WorkspaceHome() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/home' });
  const hasScope = useHasScope();
  const at = { workspaceId, pageSize };
  const byViews = { ...at, orderBy: 'view_count desc' };
  const documents = useQuery(DocumentService.method.listDocuments, byViews, isLive);
  const links = useQuery(LinkService.method.listLinks, byViews, isLive);
  const [expireBefore] = useState(() => timestampFromMs(Date.now() + soonMs));
  const byExpiry = { ...at, orderBy: 'expire_time', expireBefore };
  const ending = useQuery(LinkService.method.listLinks, byExpiry, isLive);
  const visitors = useQuery(VisitorService.method.listVisitors, at, isLive);
  const isLoaded = documents.data !== undefined && links.data !== undefined;
  const isRead = documents.data?.documents.some(({ viewCount }) => viewCount > 0) ?? false;
  const toDocuments = (
    <TextLink to="/workspaces/$workspaceId/documents" params={{ workspaceId }}>
      All documents
    </TextLink>
  );
  return (
    <Screen
      actions={
        hasScope('documents:write') ? (
          <ButtonLink to="/workspaces/$workspaceId/documents" params={{ workspaceId }}>
            Upload and share
          </ButtonLink>
        ) : undefined
      }
    >
      {isLoaded && hasScope('documents:write') ? (
        <Checklist
          steps={[
            {
              title: 'Upload a document',
              text: 'Readers see PDF, images, text and Markdown in the browser.',
              isDone: documents.data.totalSize > 0,
              action: toDocuments,
            },
            {
              title: 'Share it with a link',
              text: 'Choose who can open the link, and when it expires.',
              isDone: links.data.totalSize > 0,
            },
            {
              title: 'See who reads it',
              text: 'Readers appear here within seconds after they open the link.',
              isDone: isRead,
            },
          ]}
        />
      ) : null}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" className={classes.cards ?? ''}>
        <HomeCard
          title="Recent readers"
          all={
            <TextLink to="/workspaces/$workspaceId/readers" params={{ workspaceId }}>
              All readers
            </TextLink>
          }
          query={visitors}
          rows={visitors.data?.visitors}
          empty="Readers who enter their email address appear here."
          row={({ email, viewCount, lastViewTime }) => ({
            id: email,
            main: (
              <TextLink
                to="/workspaces/$workspaceId/readers/$email"
                params={{ workspaceId, email }}
              >
                {email}
              </TextLink>
            ),
            detail: viewsText(viewCount),
            end: <DateTime time={lastViewTime} />,
          })}
        />
        <NoticesCard workspaceId={workspaceId} />
        <HomeCard
          title="Most viewed links"
          all={
            <TextLink to="/workspaces/$workspaceId/links" params={{ workspaceId }}>
              All links
            </TextLink>
          }
          query={links}
          rows={links.data?.links.filter(({ viewCount }) => viewCount > 0)}
          empty="No one has opened a link yet."
          row={(link) => linkRow(link, viewsText(link.viewCount))}
        />
        <HomeCard
          title="Links that expire soon"
          all={
            <TextLink
              to="/workspaces/$workspaceId/links"
              params={{ workspaceId }}
              search={{ expire_before: timestampDate(expireBefore).toISOString() }}
            >
              All of 14 days
            </TextLink>
          }
          query={ending}
          rows={ending.data?.links}
          empty="No link expires within 14 days."
          row={(link) => linkRow(link, <DateTime time={link.expireTime} />)}
        />
        <HomeCard
          title="Most viewed documents"
          all={toDocuments}
          query={documents}
          rows={documents.data?.documents.filter(({ viewCount }) => viewCount > 0)}
          empty="No one has read a document yet."
          row={({ id, name, viewCount, lastViewTime }) => ({
            id,
            main: (
              <TextLink
                to="/workspaces/$workspaceId/documents/$documentId"
                params={{ workspaceId, documentId: id }}
              >
                {name}
              </TextLink>
            ),
            detail: (
              <>
                Last viewed <DateTime time={lastViewTime} />
              </>
            ),
            end: viewsText(viewCount),
          })}
        />
      </SimpleGrid>
    </Screen>
  );
}

const linkRow = (link: Link, end: ReactNode) => ({
  id: link.id,
  main: (
    <TextLink
      to="/workspaces/$workspaceId/links/$linkId"
      params={{ workspaceId: link.workspaceId, linkId: link.id }}
    >
      {linkTitle(link)}
    </TextLink>
  ),
  detail: link.name === '' ? undefined : link.documentName,
  end,
});

const viewsText = (count: number) => (count === 1 ? '1 view' : `${count.toLocaleString()} views`);
