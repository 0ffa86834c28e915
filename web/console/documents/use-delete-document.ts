import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { useMethod } from '../shared/use-method.ts';

/** Deletes a document, after a question. */
export function useDeleteDocument(onDone?: () => unknown): (document: Document) => void {
  const { confirm } = useDialogs();
  const remove = useMethod(DocumentService.method.deleteDocument);
  return ({ id: documentId, workspaceId, name }) =>
    confirm({
      title: `Delete “${isolateName(name)}”?`,
      consequence:
        'Every link to it stops working at once, for readers who have it open, too. ' +
        'The file and the record of its views are gone for good: this cannot be undone.',
      label: 'Delete',
      run: async () => {
        await remove({ documentId, workspaceId });
        await onDone?.();
      },
    });
}
