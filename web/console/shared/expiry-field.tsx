import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Button, Group, TextInput, type TextInputProps } from '@mantine/core';
import { ProblemError } from '../session/problem-error.ts';
import { toLocalInput } from './local-input.ts';

/** The latest value whose year has four digits. */
const lastMoment = '9999-12-31T23:59';

const dayMs = 24 * 60 * 60_000;

export const expiryDays = [7, 30, 90] as const;

/** The value of the field; empty for 0 days, which means never. */
export const expiryAfter = (days: number): string =>
  days === 0 ? '' : toLocalInput(new Date(Date.now() + days * dayMs));

type ExpiryFieldProps = Omit<TextInputProps, 'onChange'> & {
  /** Receives the event of the field, or a value. */
  readonly onChange: (change: unknown) => void;
};

/** A field of a controlled form. */
export function ExpiryField(props: ExpiryFieldProps) {
  const choose = (days: number) => props.onChange(expiryAfter(days));
  return (
    <div>
      <TextInput
        type="datetime-local"
        label="Expires"
        description="In your time zone. Leave empty for no expiry."
        max={lastMoment}
        {...props}
      />
      <Group gap={4} mt={4}>
        {expiryDays.map((days) => (
          <Button key={days} variant="default" size="compact-xs" onClick={() => choose(days)}>
            In {days} days
          </Button>
        ))}
      </Group>
    </div>
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
