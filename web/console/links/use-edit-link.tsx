import { NativeSelect, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import { NameField, NewPasswordField, OptionFields } from './link-fields.tsx';
import {
  type LinkForm,
  type LinkValues,
  newLink,
  optionsOf,
  updateMaskPaths,
  valuesOf,
} from './link-form.ts';

export type EditLink = {
  /** Opens the dialog that changes a link. */
  edit(link: Link): void;
  /** The dialog, to be rendered once. */
  readonly dialog: ReactNode;
};

export function useEditLink(): EditLink {
  const [link, setLink] = useState<Link>();
  const [isOpen, { open, close }] = useDisclosure(false);
  const update = useMethod(LinkService.method.updateLink);
  const form = useForm<LinkValues>({
    initialValues: newLink,
    validate: {
      // An empty one would be taken away instead.
      password: (password, { passwordChange }) =>
        passwordChange === 'replace' && password === '' && link?.passwordRequired
          ? 'Enter the new password.'
          : null,
    },
  });

  function edit(edited: Link) {
    form.setInitialValues(valuesOf(edited));
    form.reset();
    setLink(edited);
    open();
  }

  async function submit(values: LinkValues) {
    if (link === undefined) return;
    const paths = updateMaskPaths(values, valuesOf(link));
    if (paths.length === 0) return;
    const { workspaceId, id: linkId } = link;
    await update({
      ...{ workspaceId, linkId },
      ...optionsOf(values),
      updateMask: { paths },
    });
  }

  const dialog = (
    <FormDialog
      title="Edit the link"
      label="Save"
      isOpen={isOpen}
      close={close}
      form={form}
      submit={submit}
    >
      <Text size="sm">
        What you change counts at once, and the address stays the same. If you change what the link
        asks for, whoever has passed it has to pass it again, also those who are reading now.
      </Text>
      <NameField form={form} />
      {link?.passwordRequired ? <PasswordFields form={form} /> : null}
      {link?.passwordRequired ? null : <NewPasswordField form={form} isNext={false} />}
      <OptionFields form={form} />
    </FormDialog>
  );
  return { edit, dialog };
}

function PasswordFields({ form }: { readonly form: LinkForm }) {
  return (
    <>
      <NativeSelect
        label="Password"
        data={[
          { value: 'keep', label: 'Keep the one that is set' },
          { value: 'replace', label: 'Set a new one' },
          { value: 'remove', label: 'Ask for none' },
        ]}
        {...form.getInputProps('passwordChange')}
      />
      {form.getValues().passwordChange === 'replace' ? (
        <NewPasswordField form={form} isNext />
      ) : null}
    </>
  );
}
