import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { TextInput, type TextInputProps } from '@mantine/core';
import { ProblemError } from '../session/problem-error.ts';

/** The last minute of a year of four digits, as such a field holds it. */
const lastMoment = '9999-12-31T23:59';

/** Asks for a moment in the reader's own zone; an empty field means never. */
export function ExpiryField(props: TextInputProps) {
  return (
    <TextInput
      type="datetime-local"
      label="Ends"
      description="In your own time zone. Empty: never."
      max={lastMoment}
      {...props}
    />
  );
}

/** What such a field holds, as the service takes it. Refuses, in its words, what is no moment. */
export function expiryOf(text: string): { expireTime: Timestamp } | Record<string, never> {
  if (text === '') return {};
  const date = new Date(text);
  if (!Number.isNaN(date.getTime()) && date.getUTCFullYear() < 10_000) {
    return { expireTime: timestampFromDate(date) };
  }
  const fields = [{ field: 'expire_time', detail: 'has to be a date and a time' }];
  throw new ProblemError('The time is none.', { code: 'invalid_argument', fields });
}
