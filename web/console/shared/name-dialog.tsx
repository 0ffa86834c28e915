/** Asks for the name of a new or existing resource. */
import { TextInput, type TextInputProps } from '@mantine/core';
import { useForm } from '@mantine/form';
import { FormDialog } from './form-dialog.tsx';

export type NameDialogProps = {
  readonly title: string;
  /** The label of the submit button. */
  readonly label: string;
  /** The message after a success. */
  readonly done?: string;
  /** The current name; empty for a new resource. */
  readonly name?: string;
  readonly submit: (name: string) => Promise<unknown>;
};

export function NameDialog({ name = '', submit, ...props }: NameDialogProps) {
  const form = useForm({ mode: 'uncontrolled', initialValues: { name } });
  return (
    <FormDialog {...props} form={form} submit={(values) => submit(values.name)}>
      <NameField required key={form.key('name')} {...form.getInputProps('name')} />
    </FormDialog>
  );
}

/** The first field of a dialog. */
export function NameField(props: TextInputProps) {
  return <TextInput label="Name" maxLength={255} data-autofocus {...props} />;
}

export type RenameDialogProps = Omit<NameDialogProps, 'title' | 'label' | 'name'> & {
  /** The type of the resource, such as `client`. */
  readonly noun: string;
  readonly name: string;
};

export function RenameDialog({ noun, name, ...props }: RenameDialogProps) {
  return <NameDialog title={`Rename ${noun}`} label="Rename" name={name} {...props} />;
}
