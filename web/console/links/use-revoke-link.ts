import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { useMethod } from '../shared/use-method.ts';

/** Revokes a link, after a question. `phrase`: what to call it in that. */
export function useRevokeLink(): (link: Link, phrase: string) => void {
  const { confirm } = useDialogs();
  const revoke = useMethod(LinkService.method.revokeLink);
  return (link, phrase) =>
    confirm({
      title: `Revoke ${isolateName(phrase)}?`,
      consequence:
        'Its address stops working at once, also for those who are reading now: nobody can look ' +
        'at the document or download it by this link any more. Its views stay listed here. This ' +
        'cannot be undone.',
      label: 'Revoke link',
      run: () => revoke({ workspaceId: link.workspaceId, linkId: link.id }),
    });
}
