import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';

export type RenameDocumentDialogProps = {
  readonly document: Document;
  readonly isOpen: boolean;
  readonly close: () => void;
};

export default function RenameDocumentDialog(props: RenameDocumentDialogProps) {
  const { document, isOpen, close } = props;
  const update = useMethod(DocumentService.method.updateDocument);
  const form = useForm({ mode: 'uncontrolled', initialValues: { name: document.name } });

  async function submit({ name }: { readonly name: string }) {
    const { id: documentId, workspaceId } = document;
    // Without the mask, an empty name would mean "no change" instead of an error.
    await update({ documentId, workspaceId, name, updateMask: { paths: ['name'] } });
  }

  return (
    <FormDialog
      title="Rename document"
      label="Rename"
      done="Document renamed"
      isOpen={isOpen}
      close={close}
      form={form}
      submit={submit}
    >
      <TextInput
        label="Name"
        required
        maxLength={255}
        data-autofocus
        key={form.key('name')}
        {...form.getInputProps('name')}
      />
    </FormDialog>
  );
}
