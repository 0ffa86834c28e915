/** Asks for the name of something: a new one, or one in place of another. */
import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { FormDialog } from './form-dialog.tsx';

export type NameDialogProps = {
  readonly title: string;
  /** What the button says that does it. */
  readonly label: string;
  /** The name that it has; to be given as the component's key, too. Empty for something new. */
  readonly name?: string;
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly submit: (name: string) => Promise<unknown>;
};

export function NameDialog({ title, label, name = '', isOpen, close, submit }: NameDialogProps) {
  const form = useForm({ mode: 'uncontrolled', initialValues: { name } });
  return (
    <FormDialog
      title={title}
      label={label}
      isOpen={isOpen}
      close={close}
      form={form}
      submit={(values) => submit(values.name)}
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

export type RenameDialogProps = Omit<NameDialogProps, 'title' | 'label' | 'name'> & {
  /** What it is, such as `client`. */
  readonly noun: string;
  /** Its name so far. */
  readonly name: string;
};

export function RenameDialog({ noun, name, ...props }: RenameDialogProps) {
  return (
    <NameDialog key={name} title={`Rename the ${noun}`} label="Rename" name={name} {...props} />
  );
}
