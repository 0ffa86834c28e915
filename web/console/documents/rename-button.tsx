import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { useAct } from '../parts/act.ts';
import { NameDialog } from '../parts/name-dialog.tsx';

export type DocumentButtonProps = Pick<ButtonProps, 'size'> & { readonly document: Document };

export function RenameButton({ document, ...props }: DocumentButtonProps) {
  const { id: documentId, workspaceId, name } = document;
  const [isOpen, { open, close }] = useDisclosure(false);
  const update = useAct(DocumentService.method.updateDocument);
  const submit = (newName: string) =>
    update({
      documentId,
      workspaceId,
      name: newName,
      // Or else an empty name would be no change, rather than one that is refused.
      updateMask: { paths: ['name'] },
    });
  return (
    <>
      <Button variant="default" onClick={open} {...props}>
        Rename
      </Button>
      <NameDialog
        key={name}
        title="Rename the document"
        label="Rename"
        name={name}
        isOpen={isOpen}
        close={close}
        submit={submit}
      />
    </>
  );
}
