/** A field for several lines of code or IDs, and JSON in it. */
import type { JsonObject } from '@bufbuild/protobuf';
import { Textarea, type TextareaProps } from '@mantine/core';
import { ProblemError } from '../session/problem-error.ts';

export function CodeArea(props: TextareaProps) {
  return (
    <Textarea
      rows={6}
      resize="vertical"
      spellCheck={false}
      autoCapitalize="none"
      classNames={{ input: 'mono' }}
      {...props}
    />
  );
}

/** Throws the error of the API for the field if the text is not a JSON object. */
export function parseJsonField(field: string, text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as JsonObject;
    }
  } catch {
    // Reported below.
  }
  throw invalidField(field, 'Enter a JSON object, from { to }.');
}

/** The error of the API for a field that the console checks itself. */
export function invalidField(field: string, detail: string): ProblemError {
  const fields = [{ field, detail }];
  return new ProblemError(`${field}: ${detail}`, { code: 'invalid_argument', fields });
}
