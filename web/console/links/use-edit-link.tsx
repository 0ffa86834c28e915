import { useQuery } from '@connectrpc/connect-query';
import { NativeSelect, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
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
  newLinkValues,
  updateMaskPaths,
  validateAllowList,
} from './link-form.ts';

export type EditLink = {
  /** Opens the dialog. */
  edit(link: Link): void;
  /** Render it once. */
  readonly dialog: ReactNode;
};

/** `onChanged` receives the changed link. */
export function useEditLink(onChanged?: (link: Link) => void): EditLink {
  const [link, setLink] = useState<Link>();
  const [isOpen, { open, close }] = useDisclosure(false);
  const update = useMethod(LinkService.method.updateLink);
  const canBeShown = useViewable(isOpen ? link : undefined);
  const form = useForm<LinkValues>({
    initialValues: newLinkValues,
    validate: {
      allowList: validateAllowList,
      // An empty password would remove the current one.
      password: (password, { passwordChange }) =>
        passwordChange === 'replace' && password === '' && link?.passwordRequired
          ? 'Enter a new password.'
          : null,
    },
  });

  function edit(edited: Link) {
    form.setInitialValues(linkValuesOf(edited));
    form.reset();
    setLink(edited);
    open();
  }

  async function submit(values: LinkValues) {
    if (link === undefined) return;
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

  const dialog = (
    <FormDialog
      title="Edit link"
      label="Save"
      done="Link saved"
      isOpen={isOpen}
      close={close}
      form={form}
      submit={submit}
    >
      <Text size="sm">
        Changes apply immediately, and the URL stays the same. If you change who can open the link,
        everyone has to pass the new checks, including people who are reading it now.
      </Text>
      <AccessField form={form} />
      {link?.passwordRequired ? <PasswordFields form={form} /> : null}
      {link?.passwordRequired ? null : <NewPasswordField form={form} isNext={false} />}
      <OptionFields form={form} canBeShown={canBeShown} />
      <NameField form={form} />
      <MoreOptions form={form} />
      <SummaryText form={form} hasPassword={link?.passwordRequired ?? false} isShown={canBeShown} />
    </FormDialog>
  );
  return { edit, dialog };
}

/** Whether the viewer shows the document of the link; undefined if that is not known. */
function useViewable(link: Link | undefined): boolean | undefined {
  const { workspaceId = '', documentId = '' } = link ?? {};
  const { data } = useQuery(
    DocumentService.method.getDocument,
    { workspaceId, documentId },
    // The type of a document never changes.
    { enabled: link !== undefined, staleTime: 'static' },
  );
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
