// The flags for the links that `upload --share` creates.
import type { JsonObject } from '@bufbuild/protobuf';
import type { Input } from '../base/command.ts';

const flags = [
  ...['email_required', 'email_verification_required', 'allow_download', 'watermark'],
  'program_access',
];

/** The fields of a link whose flags were given. */
export const linkFlagsOf = ({ options }: Input): JsonObject =>
  Object.fromEntries(
    flags
      .filter((field) => options[field.replaceAll('_', '-')] === true)
      .map((field) => [field, true]),
  );
