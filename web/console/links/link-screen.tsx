import { useQuery } from '@connectrpc/connect-query';
import { Button, Group, Text } from '@mantine/core';
import { IconCancel, IconPencil } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { historyFacts } from '../shared/creation.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { ExpandableList } from '../shared/expandable-list.tsx';
import { Facts } from '../shared/facts.tsx';
import { ActionMenu } from '../shared/lists/row-menu.tsx';
import { nameErased } from '../shared/name-erased.ts';
import { QueryResult } from '../shared/query-result.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { Section } from '../shared/section.tsx';
import { LinkReaders } from './link-readers.tsx';
import {
  accessText,
  endLabel,
  endTimeOf,
  LinkStateBadge,
  linkPhrase,
  linkTitle,
  notifyTexts,
} from './link-state.tsx';
import { RoomContents } from './rooms/room-contents.tsx';
import { TargetLink } from './target-link.tsx';
import { useEditLink } from './use-edit-link.tsx';
import { useRevokeLink } from './use-revoke-link.ts';

export function LinkScreen() {
  const from = '/shell/workspaces/$workspaceId/links/$linkId';
  const { workspaceId, linkId } = useParams({ from });
  const query = useQuery(LinkService.method.getLink, { workspaceId, linkId });
  const link = query.data?.link;
  const { data } = useQuery(
    DocumentService.method.getDocument,
    { workspaceId, documentId: link?.documentId ?? '' },
    { enabled: link !== undefined && link.folderId === '' },
  );
  const document = data?.document;
  return (
    <Screen
      title={link && linkTitle(link)}
      about={link === undefined ? undefined : <About link={link} />}
      actions={link === undefined ? undefined : <Actions link={link} />}
    >
      <QueryResult value={link} query={query} label="link">
        {(known) => (
          <>
            <LinkReaders link={known} document={document} />
            {known.folderId === '' ? null : <RoomContents link={known} />}
            <Section title="Settings">
              <LinkFacts link={known} />
            </Section>
          </>
        )}
      </QueryResult>
    </Screen>
  );
}

LinkScreen.reads = [LinkService.method.getLink];

type OfLink = { readonly link: Link };

function Actions({ link }: OfLink) {
  const mayChange = useHasScope()('links:write');
  const revoke = useRevokeLink();
  const edit = useEditLink();
  const phrase = linkPhrase(link);
  if (!mayChange || link.revokeTime !== undefined) return null;
  return (
    <>
      <Button variant="default" leftSection={<IconPencil size={16} />} onClick={() => edit(link)}>
        Edit
      </Button>
      <ActionMenu
        name={phrase}
        actions={[{ label: 'Revoke', icon: IconCancel, run: () => revoke(link, phrase) }]}
      />
    </>
  );
}

/** The state, what it opens, and the URL. */
function About({ link }: OfLink) {
  return (
    <Group component="span" gap="4px 12px">
      <LinkStateBadge link={link} />
      <Text span inherit miw={0} style={{ overflowWrap: 'anywhere' }}>
        <TargetLink link={link} />
      </Text>
      <LinkUrl link={link} />
    </Group>
  );
}

function LinkFacts({ link }: OfLink) {
  const { id } = link;
  return (
    <Facts
      facts={[
        { name: 'Access', value: accessText(link) },
        link.allowList.length > 0 && {
          name: 'Readers on the list',
          value: <ExpandableList items={[...new Set(link.allowList.map(nameErased))]} />,
        },
        link.blockList.length > 0 && {
          name: 'Blocked readers',
          value: <ExpandableList items={link.blockList} />,
        },
        link.folderId === '' && { name: 'Version', value: versionText(link) },
        link.viewLimit !== undefined && {
          name: 'View limit',
          value: link.viewLimit.toLocaleString(),
        },
        link.recipient !== '' && { name: 'Recipient', value: <Recipient link={link} /> },
        link.agreement !== '' && { name: 'Agreement', value: <Agreement {...link} /> },
        { name: 'Download', value: link.allowDownload ? 'Allowed' : 'Not allowed' },
        link.watermark && { name: 'Watermark', value: 'On each page' },
        link.programAccess && { name: 'Programs', value: 'May read for a person' },
        { name: 'Email about views', value: notifyTexts[link.notify] },
        { name: endLabel(link), value: <DateTime time={endTimeOf(link)} precision="minute" /> },
        ...historyFacts(link),
        { name: 'Link ID', value: <CopyableText text={id} label="link ID" /> },
      ]}
    />
  );
}

/** An erased recipient has no page. */
function Recipient({ link: { workspaceId, recipient: email } }: OfLink) {
  const name = nameErased(email);
  if (name !== email) return name;
  return (
    <TextLink to="/workspaces/$workspaceId/readers/$email" params={{ workspaceId, email }}>
      {email}
    </TextLink>
  );
}

function Agreement({ agreement }: Link) {
  return (
    <details>
      <summary>Readers accept a text</summary>
      <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
        {agreement}
      </Text>
    </details>
  );
}

const versionText = ({ pinnedVersion }: Link) =>
  pinnedVersion === 0 ? 'Current' : `Only version ${pinnedVersion}`;

/** A revoked link never works again, so its URL is not shown. */
function LinkUrl({ link: { url, revokeTime } }: { readonly link: Link }) {
  if (revokeTime !== undefined) return null;
  return (
    <Group gap="xs" component="span" maw="100%">
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
