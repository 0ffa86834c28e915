import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { useMethod } from '../shared/use-method.ts';

/** Deletes a document after a confirmation. */
export function useDeleteDocument(onDone?: () => unknown): (document: Document) => void {
  const { confirm } = useDialogs();
  const remove = useMethod(DocumentService.method.deleteDocument);
  return ({ id: documentId, workspaceId, name }) =>
    confirm({
      title: `Delete “${isolateName(name)}”?`,
      consequence:
        'All its links stop working at once, even for people reading now. The file and its view ' +
        'history are deleted permanently. You can’t undo this.',
      label: 'Delete',
      done: 'Document deleted',
      run: async () => {
        await remove({ documentId, workspaceId });
        await onDone?.();
      },
    });
}
