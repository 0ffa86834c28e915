/** The last view of each link that the user created and gets emails about. */
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import { useQuery } from '@connectrpc/connect-query';
import { Badge, Button, Group } from '@mantine/core';
import { InsightService } from '../../../gen/latchkey/sharing/v1/insight_pb.js';
import { DateTime } from '../shared/date-time.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { ErrorDialog } from '../shared/error-dialog.tsx';
import { nameErased } from '../shared/name-erased.ts';
import { TextLink } from '../shared/router-links.tsx';
import { useMethod } from '../shared/use-method.ts';
import { usePendingAction } from '../shared/use-pending-action.ts';
import { HomeCard, isLive } from './home-card.tsx';

const rowsMax = 5;

export function NoticesCard({ workspaceId }: { readonly workspaceId: string }) {
  const notices = useQuery(InsightService.method.getNotices, { workspaceId }, isLive);
  const markRead = useMethod(InsightService.method.markNoticesRead);
  const { open } = useDialogs();
  const { isPending, run } = usePendingAction((error) =>
    open(<ErrorDialog title="Couldn’t mark as read" error={error} />),
  );
  const { views = [], readTime } = notices.data ?? {};
  const isNew = (time: Timestamp | undefined) =>
    time !== undefined && (readTime === undefined || timestampMs(time) > timestampMs(readTime));
  const newCount = views.filter(({ createTime }) => isNew(createTime)).length;
  const newest = views[0]?.createTime;
  return (
    <HomeCard
      title="Emails about views"
      all={
        newest === undefined || newCount === 0 ? null : (
          <Button
            size="compact-sm"
            variant="subtle"
            loading={isPending}
            onClick={() => void run(() => markRead({ workspaceId, readTime: newest }))}
          >
            Mark all as read ({newCount})
          </Button>
        )
      }
      query={notices}
      rows={notices.data?.views.slice(0, rowsMax)}
      empty="To see new views here, choose “Email me about views” in the options of a link."
      row={({ id, linkId, linkName, documentName, email, createTime }) => ({
        id,
        main: (
          <TextLink to="/workspaces/$workspaceId/links/$linkId" params={{ workspaceId, linkId }}>
            {email || 'A reader without an email address'}
          </TextLink>
        ),
        detail: [documentName, nameErased(linkName)].filter(Boolean).join(' · '),
        end: (
          <Group gap="xs">
            {isNew(createTime) ? <Badge size="sm">New</Badge> : null}
            <DateTime time={createTime} />
          </Group>
        ),
      })}
    />
  );
}
