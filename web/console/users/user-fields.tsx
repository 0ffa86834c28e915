/** The fields of a user that several dialogs have. */
import { TextInput, type TextInputProps } from '@mantine/core';

export function EmailField(props: TextInputProps) {
  return (
    <TextInput
      type="email"
      label="Email address"
      description="Used to sign in."
      required
      maxLength={254}
      autoComplete="off"
      {...props}
    />
  );
}

export function UserNameField(props: TextInputProps) {
  return <TextInput label="Name" maxLength={255} autoComplete="off" {...props} />;
}
