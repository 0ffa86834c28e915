/** Everything that one reader read, through all links of the workspace. */
import { useQuery } from '@connectrpc/connect-query';
import { Button, Group, Text } from '@mantine/core';
import { IconEraser } from '@tabler/icons-react';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { LinkView } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { VisitorService } from '../../../gen/latchkey/sharing/v1/visitor_pb.js';
import { LinkName } from '../links/link-name.tsx';
import { ReadersTable, readingColumns, versionColumn } from '../readers/readers-table.tsx';
import { reasonOf } from '../session/error-details.ts';
import { useHasScope } from '../session/session-context.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { FigureRow } from '../shared/figure-row.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { RowToggle } from '../shared/lists/row-toggle.tsx';
import { QueryResult } from '../shared/query-result.tsx';
import { ResourceLink } from '../shared/resource-link.tsx';
import { Screen } from '../shared/screen.tsx';
import { Section } from '../shared/section.tsx';
import { useEraseVisitor } from './use-erase-visitor.ts';

const visitorViews = defineList({
  label: 'Views',
  method: VisitorService.method.listVisitorViews,
  rows: (page) => page.views,
  columns: [
    { title: 'Document', isFree: true, cell: (view) => <ReadDocument view={view} /> },
    versionColumn,
    { title: 'Link', isFree: true, cell: (view) => <LinkName view={view} /> },
    ...readingColumns,
  ],
  isLive: true,
});

export function VisitorScreen() {
  const { workspaceId, email } = useParams({
    from: '/shell/workspaces/$workspaceId/readers/$email',
  });
  const query = useQuery(VisitorService.method.getVisitor, { workspaceId, email });
  const list = useList(visitorViews, { workspaceId, email });
  const visitor = query.data?.visitor;
  // Links and waiting emails can have the address of a person without a view.
  if (reasonOf(query.error) === 'not_found') {
    return (
      <Screen title={email} actions={<Erase email={email} />}>
        <Text>This person hasn’t viewed anything yet.</Text>
      </Screen>
    );
  }
  return (
    <Screen title={email} actions={visitor === undefined ? undefined : <Erase email={email} />}>
      <QueryResult value={visitor} query={query} label="reader">
        {({ viewCount, createTime, lastViewTime }) => (
          <>
            <FigureRow
              figures={[
                { name: 'Views', value: viewCount.toLocaleString() },
                { name: 'First visit', value: <DateTime time={createTime} /> },
                { name: 'Last visit', value: <DateTime time={lastViewTime} /> },
              ]}
            />
            <Section title="Views">
              <ReadersTable list={list} emptyText="The views were deleted." />
            </Section>
          </>
        )}
      </QueryResult>
    </Screen>
  );
}

VisitorScreen.reads = [VisitorService.method.getVisitor, visitorViews];

function Erase({ email }: { readonly email: string }) {
  const { workspaceId = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const erase = useEraseVisitor(workspaceId, () =>
    navigate({ to: '/workspaces/$workspaceId/readers', params: { workspaceId } }),
  );
  if (!useHasScope()('links:write')) return null;
  return (
    <Button variant="default" leftSection={<IconEraser size={16} />} onClick={() => erase(email)}>
      Erase
    </Button>
  );
}

function ReadDocument({ view }: { readonly view: LinkView }) {
  const { workspaceId } = useParams({ strict: false });
  const { documentId, documentName } = view;
  return (
    <Group gap={6} wrap="nowrap" maw="100%">
      <RowToggle label={`Pages of ${documentName}`} />
      <ResourceLink id={documentId} name={documentName} workspaceId={workspaceId} />
    </Group>
  );
}
