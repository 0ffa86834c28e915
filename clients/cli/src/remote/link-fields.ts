// The fields of links that commands accept as options, and the warnings about a link.
import type { JsonObject } from '@bufbuild/protobuf';
import type { CommandHost, Input } from '../base/command.ts';
import type { FieldOption } from './call-spec.ts';
import { expireField, nameField } from './common-fields.ts';

const flag = (about: string): FieldOption => ({ about, isNegatable: true });

export const linkFields = {
  name: nameField,
  email_required: flag('Whether readers enter their email address.'),
  email_verification_required: flag('Whether readers prove the address with a one-time code.'),
  password: {
    isSecret: true,
    about: 'Asks for the password of the link, or reads it from the standard input.',
  },
  expire_time: expireField,
  allow_download: flag('Whether readers can download the document.'),
  watermark: flag("Whether each page shows the reader's address."),
  program_access: flag('Whether programs may read the document for a person.'),
  allow_list: {
    name: 'allow',
    value: 'address',
    isList: true,
    about: 'An email address or `@domain` that may open the link.',
  },
  block_list: {
    name: 'block',
    value: 'address',
    isList: true,
    about: 'An email address or `@domain` that may not open the link.',
  },
  notify: {
    value: 'when',
    values: ['first-view', 'every-view', 'digest'],
    about: 'When the creator gets a mail about views.',
  },
  show_title: flag('Whether readers see the name of the document before the gate.'),
  pinned_version: {
    value: 'number',
    about: 'The version that the link always shows; 0 for the current one.',
  },
  view_limit: { value: 'count', about: 'The maximum number of views.' },
  agreement: { value: 'text', about: 'The text that readers accept first, in Markdown.' },
  entry_rules: {
    value: 'file',
    isJsonFile: true,
    about: 'The file with the rules for parts of a folder, as a JSON list.',
  },
} satisfies Readonly<Record<string, FieldOption>>;

export const sharedFolderField: FieldOption = {
  value: 'id',
  about: 'The folder to share instead of a document.',
};

const { allow_download, watermark, program_access, expire_time, view_limit } = linkFields;
const { notify, show_title, pinned_version, entry_rules } = linkFields;

/** Those that all links of `links create-for` have in common. */
export const linksForFields: Readonly<Record<string, FieldOption>> = {
  folder_id: sharedFolderField,
  mail_recipient: { name: 'mail', about: 'Mails each recipient the link.' },
  mail_message: { name: 'message', value: 'text', about: 'A text that the mails quote.' },
  ...{ allow_download, watermark, program_access, expire_time, view_limit },
  ...{ notify, show_title, pinned_version, entry_rules },
};

/** The flags of `upload --share`. */
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

/** Warns on the standard error about a link that opens nothing. `link`: as JSON. */
export function warnAboutLink({ warnings, watermark }: JsonObject, host: CommandHost): void {
  if (!Array.isArray(warnings) || !warnings.includes('LINK_WARNING_NOTHING_TO_OPEN')) return;
  const reason =
    watermark === true
      ? 'A watermark needs a PDF, Office, JPEG or PNG file. Share it without --watermark.'
      : 'Browsers cannot show this type of file. Share it with --allow-download.';
  host.stderr.write(`Readers cannot open the document. ${reason}\n`);
}
