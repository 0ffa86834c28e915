import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { useMethod } from '../shared/use-method.ts';
import { lossOfAccess } from './link-state.tsx';

/** Revokes a link after a confirmation, which names it by `phrase`. */
export function useRevokeLink(): (link: Link, phrase: string) => void {
  const { confirm } = useDialogs();
  const revoke = useMethod(LinkService.method.revokeLink);
  return (link, phrase) =>
    confirm({
      title: `Revoke ${isolateName(phrase)}?`,
      consequence:
        `The link stops working ${lossOfAccess}. Its view history is kept. ` +
        'You can’t undo this.',
      label: 'Revoke link',
      done: 'Link revoked',
      run: () => revoke({ workspaceId: link.workspaceId, linkId: link.id }),
    });
}
