import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';

export type RenameDocument = {
  /** Opens the dialog. */
  rename(document: Document): void;
  /** Render it once. */
  readonly dialog: ReactNode;
};

export function useRenameDocument(): RenameDocument {
  const [document, setDocument] = useState<Document>();
  const [isOpen, { open, close }] = useDisclosure(false);
  const update = useMethod(DocumentService.method.updateDocument);
  const form = useForm({ mode: 'uncontrolled', initialValues: { name: '' } });

  function rename(renamed: Document) {
    form.setInitialValues({ name: renamed.name });
    form.reset();
    setDocument(renamed);
    open();
  }

  async function submit({ name }: { readonly name: string }) {
    if (document === undefined) return;
    const { id: documentId, workspaceId } = document;
    // Without the mask, an empty name would mean "no change" instead of an error.
    await update({ documentId, workspaceId, name, updateMask: { paths: ['name'] } });
  }

  const dialog = (
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
  return { rename, dialog };
}
