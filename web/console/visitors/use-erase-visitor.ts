import { VisitorService } from '../../../gen/latchkey/sharing/v1/visitor_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { useMethod } from '../shared/use-method.ts';

/** Removes an address from all views, links and waiting mails after a confirmation. */
export function useEraseVisitor(
  workspaceId: string,
  onDone?: () => unknown,
): (email: string) => void {
  const { confirm } = useDialogs();
  const erase = useMethod(VisitorService.method.deleteVisitor);
  return (email) =>
    confirm({
      title: `Erase “${isolateName(email)}”?`,
      consequence:
        'The address is removed from all views, links and waiting emails of the workspace. The ' +
        'views stay without it, so that no count changes. Links that no one else could open are ' +
        'revoked. You can’t undo this.',
      label: 'Erase',
      done: 'Address erased',
      run: async () => {
        await erase({ workspaceId, email });
        await onDone?.();
      },
    });
}
