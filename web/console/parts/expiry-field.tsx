import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { TextInput, type TextInputProps } from '@mantine/core';

/** Asks for a moment in the reader's own zone; an empty field means never. */
export function ExpiryField(props: TextInputProps) {
  return (
    <TextInput
      type="datetime-local"
      label="Ends"
      description="In your own time zone. Empty: never."
      {...props}
    />
  );
}

/** What such a field holds, as the service takes it. Throws for what is no moment. */
export function expiryOf(text: string): { expireTime: Timestamp } | Record<string, never> {
  return text === '' ? {} : { expireTime: timestampFromDate(new Date(text)) };
}
