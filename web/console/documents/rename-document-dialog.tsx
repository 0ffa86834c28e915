import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { RenameDialog } from '../shared/name-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';

export type RenameDocumentDialogProps = { readonly document: Document };

export default function RenameDocumentDialog({ document }: RenameDocumentDialogProps) {
  const { id: documentId, workspaceId, name: current } = document;
  const update = useMethod(DocumentService.method.updateDocument);
  return (
    <RenameDialog
      noun="document"
      name={current}
      done="Document renamed"
      // Without the mask, an empty name would mean "no change" instead of an error.
      submit={(name) => update({ documentId, workspaceId, name, updateMask: { paths: ['name'] } })}
    />
  );
}
