import { useForm } from '@mantine/form';
import { useEffect, useRef, useState } from 'react';
import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import { DocumentField } from './document-field.tsx';
import {
  AccessField,
  MoreOptions,
  NameField,
  NewPasswordField,
  OptionFields,
  SummaryText,
} from './link-fields.tsx';
import { type LinkValues, linkOptionsOf, newLinkValues, validateAllowList } from './link-form.ts';
import { LinkReadyDialog } from './link-ready-dialog.tsx';

export type CreateLinkDialogProps = {
  readonly workspaceId: string;
  /** Unset: the user chooses a document. */
  readonly document?: Document;
  readonly isOpen: boolean;
  readonly close: () => void;
};

/** Creates a link, then shows its URL. */
export function CreateLinkDialog(props: CreateLinkDialogProps) {
  const { workspaceId, document, isOpen, close } = props;
  const [made, setMade] = useState<Link>();
  const opener = useOpener(isOpen);
  const create = useMethod(LinkService.method.createLink);
  const form = useForm<LinkValues>({
    initialValues: {
      ...newLinkValues,
      documentId: document?.id ?? '',
      allowDownload: document?.viewable === false,
    },
    validate: {
      documentId: (id) => (id === '' ? 'Choose a document.' : null),
      allowList: validateAllowList,
    },
  });

  const [isShown, setShown] = useState(document?.viewable);

  /** Preselects the download of a document that cannot be shown. */
  function chooseDocument(chosen: Document | undefined) {
    form.setFieldValue('documentId', chosen?.id ?? '');
    form.setFieldValue('allowDownload', chosen?.viewable === false);
    setShown(chosen?.viewable);
  }

  async function submit(values: LinkValues) {
    const request = { workspaceId, documentId: values.documentId, ...linkOptionsOf(values) };
    const { link } = await create(request);
    setMade(link);
  }

  // A typed password must not outlive the dialog.
  function leave() {
    form.reset();
    setShown(document?.viewable);
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
        {document === undefined ? (
          <DocumentField
            workspaceId={workspaceId}
            error={form.errors.documentId}
            choose={chooseDocument}
          />
        ) : null}
        <AccessField form={form} />
        <NewPasswordField form={form} isNext={false} />
        <OptionFields form={form} canBeShown={isShown} />
        <NameField form={form} />
        <MoreOptions form={form} />
        <SummaryText form={form} hasPassword={false} isShown={isShown} />
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
