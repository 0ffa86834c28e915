import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { LinkViewSchema } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import type { ViewWithPages } from './views.ts';

export type ViewMessage = MessageInitShape<typeof LinkViewSchema>;

export function viewMessage({ view, linkName, visitCount, pages }: ViewWithPages): ViewMessage {
  return {
    id: view.id,
    linkId: view.link_id,
    linkName,
    email: view.email,
    emailVerified: view.email_verified === 1,
    createTime: timestampFromMs(view.create_time),
    durationMs: view.duration_ms,
    pages: [...pages],
    downloadCount: view.download_count,
    visitCount,
  };
}
