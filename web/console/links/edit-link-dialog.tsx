import { useQuery } from '@connectrpc/connect-query';
import { NativeSelect, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import {
  AccessField,
  MoreOptions,
  NameField,
  NewPasswordField,
  OptionFields,
  SummaryText,
} from './link-fields.tsx';
import {
  type LinkForm,
  type LinkValues,
  linkOptionsOf,
  linkValuesOf,
  updateMaskPaths,
  validateAllowList,
} from './link-form.ts';

export type EditLinkDialogProps = {
  readonly link: Link;
  /** Receives the changed link. */
  readonly onChanged?: (link: Link) => void;
};

export default function EditLinkDialog({ link, onChanged }: EditLinkDialogProps) {
  const update = useMethod(LinkService.method.updateLink);
  const canBeShown = useViewable(link);
  const form = useForm<LinkValues>({
    initialValues: linkValuesOf(link),
    validate: {
      allowList: validateAllowList,
      // An empty password would remove the current one.
      password: (password, { passwordChange }) =>
        passwordChange === 'replace' && password === '' && link.passwordRequired
          ? 'Enter a new password.'
          : null,
    },
  });

  async function submit(values: LinkValues) {
    const paths = updateMaskPaths(values, linkValuesOf(link));
    if (paths.length === 0) return;
    const { workspaceId, id: linkId } = link;
    const { link: changed } = await update({
      ...{ workspaceId, linkId },
      ...linkOptionsOf(values),
      updateMask: { paths },
    });
    if (changed !== undefined) onChanged?.(changed);
  }

  return (
    <FormDialog title="Edit link" label="Save" done="Link saved" form={form} submit={submit}>
      <Text size="sm">
        Changes apply immediately, and the URL stays the same. If you change who can open the link,
        everyone has to pass the new checks, including people who are reading it now.
      </Text>
      <AccessField form={form} />
      {link.passwordRequired ? <PasswordFields form={form} /> : null}
      {link.passwordRequired ? null : <NewPasswordField form={form} isNext={false} />}
      <OptionFields form={form} canBeShown={canBeShown} />
      <NameField form={form} />
      <MoreOptions form={form} workspaceId={link.workspaceId} />
      <SummaryText form={form} hasPassword={link.passwordRequired} isShown={canBeShown} />
    </FormDialog>
  );
}

/** Whether the viewer shows the document of the link; undefined if that is not known. */
function useViewable({ workspaceId, documentId }: Link): boolean | undefined {
  const { data } = useQuery(DocumentService.method.getDocument, { workspaceId, documentId });
  return data?.document?.viewable;
}

function PasswordFields({ form }: { readonly form: LinkForm }) {
  return (
    <>
      <NativeSelect
        label="Password"
        data={[
          { value: 'keep', label: 'Keep current password' },
          { value: 'replace', label: 'Set new password' },
          { value: 'remove', label: 'Remove password' },
        ]}
        {...form.getInputProps('passwordChange')}
      />
      {form.getValues().passwordChange === 'replace' ? (
        <NewPasswordField form={form} isNext />
      ) : null}
    </>
  );
}
