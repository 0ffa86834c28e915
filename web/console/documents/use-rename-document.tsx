import { useDisclosure } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';

/** The dialog loads when it is opened, to keep the first load small. */
const RenameDocumentDialog = lazy(() => import('./rename-document-dialog.tsx'));

export type RenameDocument = {
  /** Opens the dialog. */
  rename(document: Document): void;
  /** Render it once. */
  readonly dialog: ReactNode;
};

export function useRenameDocument(): RenameDocument {
  const [renamed, setRenamed] = useState<{ readonly document: Document; readonly key: number }>();
  const [isOpen, { open, close }] = useDisclosure(false);

  function rename(document: Document) {
    // Another key, so that the dialog forgets the text of an earlier attempt.
    setRenamed((earlier) => ({ document, key: (earlier?.key ?? 0) + 1 }));
    open();
  }

  const dialog =
    renamed === undefined ? null : (
      <Suspense>
        <RenameDocumentDialog
          key={renamed.key}
          document={renamed.document}
          isOpen={isOpen}
          close={close}
        />
      </Suspense>
    );
  return { rename, dialog };
}
