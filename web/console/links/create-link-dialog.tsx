import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';
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
};

/** Creates a link, then shows its URL. */
export function CreateLinkDialog({ workspaceId, document }: CreateLinkDialogProps) {
  const { open } = useDialogs();
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
    form.setFieldValue('pinnedVersion', '0');
    form.setFieldValue('allowDownload', chosen?.viewable === false);
    setShown(chosen?.viewable);
  }

  async function submit(values: LinkValues) {
    const request = { workspaceId, documentId: values.documentId, ...linkOptionsOf(values) };
    const { link } = await create(request);
    if (link !== undefined) open(<LinkReadyDialog link={link} />);
  }

  return (
    <FormDialog title="Create link" label="Create link" form={form} submit={submit}>
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
      <MoreOptions form={form} workspaceId={workspaceId} />
      <SummaryText form={form} hasPassword={false} isShown={isShown} />
    </FormDialog>
  );
}
