import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { useAct } from '../parts/act.ts';
import { useDialogs } from '../parts/dialogs.tsx';
import { isolated } from '../parts/isolated.tsx';

/** Deletes a document, after a question. */
export function useDeleteDocument(onDone?: () => unknown): (document: Document) => void {
  const { confirm } = useDialogs();
  const remove = useAct(DocumentService.method.deleteDocument);
  return ({ id: documentId, workspaceId, name }) =>
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
}
