import { Button } from '@mantine/core';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { useAct } from '../parts/act.ts';
import { useDialogs } from '../parts/dialogs.tsx';
import { isolated } from '../parts/isolated.tsx';
import type { DocumentButtonProps } from './rename-button.tsx';

type DeleteButtonProps = DocumentButtonProps & { readonly onDone?: () => unknown };

export function DeleteButton({ document, onDone, ...props }: DeleteButtonProps) {
  const { id: documentId, workspaceId, name } = document;
  const { confirm } = useDialogs();
  const remove = useAct(DocumentService.method.deleteDocument);
  const ask = () =>
    confirm({
      title: `Delete “${isolated(name)}”?`,
      consequence:
        'Every link to it stops working at once, for readers who have it open, too. ' +
        'The file and the record of its views are gone for good: this cannot be undone.',
      label: 'Delete',
      act: async () => {
        await remove({ documentId, workspaceId });
        await onDone?.();
      },
    });
  return (
    <Button variant="default" onClick={ask} {...props}>
      Delete
    </Button>
  );
}
