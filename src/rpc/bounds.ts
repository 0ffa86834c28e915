// Whether a request keeps the bounds that its proto sets (buf.validate).
import { type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import type { Validator, Violation } from '@bufbuild/protovalidate';
import { fail, invalid } from './errors.ts';

/** Throws `invalid_argument`, naming every field that is out of bounds. */
export type CheckBounds = (request: Message) => void;

export function boundsOf(schema: DescMessage, validator: Validator): CheckBounds {
  const texts = schema.fields.filter(
    ({ fieldKind, scalar }) => fieldKind === 'scalar' && scalar === ScalarType.STRING,
  );
  return (request) => {
    // A message is a plain object with its fields' local names.
    const values = request as unknown as Readonly<Record<string, unknown>>;
    for (const { name, localName } of texts) {
      const value = values[localName];
      // PostgreSQL's text cannot hold it, and nothing that is named or looked up has a use for it.
      if (typeof value === 'string' && value.includes('\0')) {
        throw invalid(name, 'has a NUL character');
      }
    }
    const result = validator.validate(schema, request);
    if (result.kind === 'error') throw result.error;
    if (result.kind === 'valid') return;
    const fields = result.violations.map((violation) => ({
      field: fieldOf(violation),
      detail: violation.message,
    }));
    const detail = fields.map((one) => `${one.field}: ${one.detail}`).join('; ');
    throw fail('invalid_argument', detail, { fields });
  };
}

/** The path of proto names, without the positions in lists. */
function fieldOf({ field }: Violation): string {
  return field.flatMap((part) => ('name' in part ? [part.name] : [])).join('.');
}
