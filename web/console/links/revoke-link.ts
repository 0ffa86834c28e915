import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { useAct } from '../parts/act.ts';
import { useDialogs } from '../parts/dialogs.tsx';
import { isolated } from '../parts/isolated.tsx';

/** Revokes a link, after a question. `called`: what to call it in that. */
export function useRevokeLink(): (link: Link, called: string) => void {
  const { confirm } = useDialogs();
  const revoke = useAct(LinkService.method.revokeLink);
  return (link, called) =>
    confirm({
      title: `Revoke ${isolated(called)}?`,
      consequence:
        'Its address stops working at once, also for those who are reading now: nobody can look ' +
        'at the document or download it by this link any more. Its views stay listed here. This ' +
        'cannot be undone.',
      label: 'Revoke link',
      act: () => revoke({ workspaceId: link.workspaceId, linkId: link.id }),
    });
}
