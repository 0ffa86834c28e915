import { lazy } from 'react';
import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';

/** The dialog loads when it is opened, to keep the first load small. */
const RenameDocumentDialog = lazy(() => import('./rename-document-dialog.tsx'));

/** Opens the dialog that renames a document. */
export function useRenameDocument(): (document: Document) => void {
  const { open } = useDialogs();
  return (document) => open(<RenameDocumentDialog document={document} />);
}
