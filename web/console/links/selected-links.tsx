/** The actions for the selected links. */
import { Button } from '@mantine/core';
import { lazy } from 'react';
import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';
import type { SelectionActionsProps } from '../shared/lists/define-list.ts';
import { useMethod } from '../shared/use-method.ts';
import { linksText, lossOfAccess } from './link-state.tsx';

const ExtendLinksDialog = lazy(() => import('./extend-links-dialog.tsx'));

export function SelectedLinks({ rows, clear }: SelectionActionsProps<Link>) {
  const { open, confirm } = useDialogs();
  const revokeLinks = useMethod(LinkService.method.batchRevokeLinks);
  const text = linksText(rows.length);

  function revoke() {
    const [first] = rows;
    if (first === undefined) return;
    confirm({
      title: `Revoke ${text}?`,
      consequence:
        `${rows.length === 1 ? 'The link stops' : 'The links stop'} working ${lossOfAccess}. ` +
        'The view history is kept. You can’t undo this.',
      label: `Revoke ${text}`,
      done: `${text} revoked`,
      run: async () => {
        await revokeLinks({ workspaceId: first.workspaceId, ids: rows.map(({ id }) => id) });
        clear();
      },
    });
  }

  return (
    <>
      <Button
        variant="default"
        size="xs"
        onClick={() => open(<ExtendLinksDialog links={rows} done={clear} />)}
      >
        Extend
      </Button>
      <Button variant="subtle" color="gray" size="xs" onClick={revoke}>
        Revoke
      </Button>
    </>
  );
}
