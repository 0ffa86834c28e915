/** The first field of a dialog in which users change their own password. */
import { PasswordInput, type PasswordInputProps } from '@mantine/core';

export function CurrentPasswordInput(props: PasswordInputProps) {
  return (
    <PasswordInput
      label="Current password"
      autoComplete="current-password"
      required
      data-autofocus
      {...props}
    />
  );
}
