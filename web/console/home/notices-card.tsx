/** The last view of each link that the user created and gets emails about. */
import { useQuery } from '@connectrpc/connect-query';
import { InsightService } from '../../../gen/latchkey/sharing/v1/insight_pb.js';
import { DateTime } from '../shared/date-time.tsx';
import { nameErased } from '../shared/name-erased.ts';
import { TextLink } from '../shared/router-links.tsx';
import { HomeCard, isLive } from './home-card.tsx';

const rowsMax = 5;

export function NoticesCard({ workspaceId }: { readonly workspaceId: string }) {
  const notices = useQuery(InsightService.method.getNotices, { workspaceId }, isLive);
  return (
    <HomeCard
      title="Emails about views"
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
        end: <DateTime time={createTime} />,
      })}
    />
  );
}
