/** Everyone who entered an email address to read a document of the workspace. */
import { IconAddressBook, IconEraser } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { type Visitor, VisitorService } from '../../../gen/latchkey/sharing/v1/visitor_pb.js';
import { CsvButton, useCsv } from '../readers/csv-button.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { isEmptyList, Listing } from '../shared/lists/listing.tsx';
import { RowMenu } from '../shared/lists/row-menu.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { useEraseVisitor } from './use-erase-visitor.ts';

const visitors = defineList({
  label: 'Readers',
  method: VisitorService.method.listVisitors,
  rows: (page) => page.visitors,
  columns: [
    {
      title: 'Email address',
      orderBy: 'email',
      isFree: true,
      cell: (visitor) => <Address visitor={visitor} />,
    },
    {
      title: 'Views',
      orderBy: 'view_count',
      isNewestFirst: true,
      cell: ({ viewCount }) => viewCount.toLocaleString(),
    },
    {
      title: 'First visit',
      orderBy: 'create_time',
      isNewestFirst: true,
      isMinor: true,
      cell: ({ createTime }) => <DateTime time={createTime} />,
    },
    {
      title: 'Last visit',
      orderBy: 'last_view_time',
      isNewestFirst: true,
      cell: ({ lastViewTime }) => <DateTime time={lastViewTime} />,
    },
    {
      title: 'Actions',
      isTitleHidden: true,
      scope: 'links:write',
      cell: (visitor) => <Actions visitor={visitor} />,
    },
  ],
});

export function VisitorsScreen() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/readers' });
  const list = useList(visitors, { workspaceId });
  const download = useCsv('/visitors.csv', workspaceId, 'Readers.csv');
  return (
    <Screen
      about="Readers who entered their email address, through all links of the workspace."
      actions={isEmptyList(list) ? undefined : <CsvButton download={download} />}
    >
      <ErrorAlert error={download.error} retry={download.start} />
      <Listing
        list={list}
        empty={{
          title: 'No readers yet',
          text: 'Share a document with a link that requires an email address.',
          icon: IconAddressBook,
        }}
      />
    </Screen>
  );
}

VisitorsScreen.reads = [visitors];

type OfVisitor = { readonly visitor: Visitor };

function Address({ visitor: { email } }: OfVisitor) {
  const { workspaceId = '' } = useParams({ strict: false });
  return (
    <TextLink to="/workspaces/$workspaceId/readers/$email" params={{ workspaceId, email }}>
      {email}
    </TextLink>
  );
}

function Actions({ visitor: { email } }: OfVisitor) {
  const { workspaceId = '' } = useParams({ strict: false });
  const erase = useEraseVisitor(workspaceId);
  return (
    <RowMenu
      name={email}
      actions={[{ label: 'Erase', icon: IconEraser, run: () => erase(email) }]}
    />
  );
}
