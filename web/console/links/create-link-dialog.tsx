import { useForm } from '@mantine/form';
import { useEffect, useRef, useState } from 'react';
import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import { DocumentField } from './document-field.tsx';
import { NameField, NewPasswordField, OptionFields } from './link-fields.tsx';
import { type LinkValues, linkOptionsOf, newLinkValues } from './link-form.ts';
import { LinkReadyDialog } from './link-ready-dialog.tsx';
import { useDownloadDefault } from './use-download-default.ts';

export type CreateLinkDialogProps = {
  readonly workspaceId: string;
  /** Unset: the user chooses a document. */
  readonly documentId?: string;
  readonly isOpen: boolean;
  readonly close: () => void;
};

/** Creates a link, then shows its URL. */
export function CreateLinkDialog(props: CreateLinkDialogProps) {
  const { workspaceId, documentId, isOpen, close } = props;
  const [made, setMade] = useState<Link>();
  const opener = useOpener(isOpen);
  const create = useMethod(LinkService.method.createLink);
  const form = useForm<LinkValues>({
    initialValues: { ...newLinkValues, documentId: documentId ?? '' },
    validate: { documentId: (id) => (id === '' ? 'Choose a document.' : null) },
  });

  const viewable = useDownloadDefault(workspaceId, form, isOpen);

  async function submit(values: LinkValues) {
    const request = { workspaceId, documentId: values.documentId, ...linkOptionsOf(values) };
    const { link } = await create(request);
    setMade(link);
  }

  // A typed password must not outlive the dialog.
  function leave() {
    form.reset();
    close();
  }

  function finish() {
    setMade(undefined);
    opener.current?.focus();
  }

  return (
    <>
      <FormDialog
        title="Create link"
        label="Create link"
        isOpen={isOpen}
        close={leave}
        form={form}
        submit={submit}
      >
        {documentId === undefined ? <DocumentField workspaceId={workspaceId} form={form} /> : null}
        <NameField form={form} />
        <NewPasswordField form={form} isNext={false} />
        <OptionFields form={form} viewable={viewable} />
      </FormDialog>
      <LinkReadyDialog link={isOpen ? undefined : made} close={finish} />
    </>
  );
}

/** The element that had the focus before the first dialog; the second one restores it. */
function useOpener(isOpen: boolean) {
  const opener = useRef<HTMLElement>(null);
  useEffect(() => {
    const { activeElement } = document;
    if (isOpen && activeElement instanceof HTMLElement) opener.current = activeElement;
  }, [isOpen]);
  return opener;
}
