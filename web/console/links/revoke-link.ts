import { useMutation } from '@connectrpc/connect-query';
import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { useDialogs } from '../parts/dialogs.tsx';
import { isolated } from '../parts/isolated.tsx';
import { calledOf } from './link-state.tsx';

/** Revokes a link, after a question. */
export function useRevokeLink(): (link: Link) => void {
  const { confirm } = useDialogs();
  const revoke = useMutation(LinkService.method.revokeLink);
  return (link) =>
    confirm({
      title: `Revoke ${isolated(calledOf(link))}?`,
      consequence:
        'Its address stops working at once, also for those who are reading now: nobody can look ' +
        'at the document or download it by this link any more. Its views stay listed here. This ' +
        'cannot be undone.',
      label: 'Revoke link',
      act: () => revoke.mutateAsync({ workspaceId: link.workspaceId, linkId: link.id }),
    });
}
