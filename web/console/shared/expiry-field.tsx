import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { TextInput, type TextInputProps } from '@mantine/core';
import { ProblemError } from '../session/problem-error.ts';

/** The latest value whose year has four digits. */
const lastMoment = '9999-12-31T23:59';

export function ExpiryField(props: TextInputProps) {
  return (
    <TextInput
      type="datetime-local"
      label="Expires"
      description="In your time zone. Leave empty for no expiry."
      max={lastMoment}
      {...props}
    />
  );
}

/** Converts the field value for a request. Throws the error of the API for an invalid date. */
export function parseExpireTime(text: string): { expireTime: Timestamp } | Record<string, never> {
  if (text === '') return {};
  const date = new Date(text);
  if (!Number.isNaN(date.getTime()) && date.getUTCFullYear() < 10_000) {
    return { expireTime: timestampFromDate(date) };
  }
  const fields = [{ field: 'expire_time', detail: 'must be a date and a time' }];
  throw new ProblemError('Invalid date.', { code: 'invalid_argument', fields });
}
