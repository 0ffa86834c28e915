// The commands that send or receive files.
import { copyOption } from '../base/clipboard.ts';
import { type Command, jsonOption, type Option } from '../base/command.ts';
import { keyOption, optionOf } from './call-command.ts';
import { linksForFields } from './link-fields.ts';

const workspace: Option = {
  name: 'workspace',
  value: 'id',
  about: 'The workspace. Required unless the credential or `login --workspace` names one.',
};

const output: Option = {
  name: 'output',
  value: 'file',
  isFile: true,
  about: 'The file to write, which must not exist. Default: the standard output.',
};

export const uploadCommand: Command = {
  name: 'upload',
  about: 'Uploads documents or a new version, and creates a link to each with --share.',
  details:
    'Prints the id of each document, or with --share the address of the link. A terminal shows a ' +
    'progress bar. An interrupted upload leaves nothing behind; the files before it are stored. ' +
    'With several files, --json prints one object per line.',
  args: [
    { name: 'file', isFile: true, isList: true, about: 'A file, or `-` for the standard input.' },
  ],
  options: [
    { name: 'name', value: 'name', about: 'The name of the document. Default: the file name.' },
    {
      name: 'document',
      value: 'id',
      about: 'Adds a version to this document. Its links show it; its name changes with --name.',
    },
    { name: 'folder', value: 'id', about: 'Stores the document in this folder.' },
    { name: 'share', about: 'Creates a link and prints its address.' },
    { name: 'email-required', about: 'Readers of the link enter their email address.' },
    {
      name: 'email-verification-required',
      about: 'Readers of the link prove their address with a one-time code.',
    },
    { name: 'allow-download', about: 'Readers of the link can download the document.' },
    { name: 'watermark', about: "Each page shows the reader's address." },
    { name: 'program-access', about: 'Programs may read the document for a person.' },
    {
      name: 'expires',
      value: 'time',
      about: 'When the link expires: a time, or for example `30d`.',
    },
    { ...copyOption, about: `${copyOption.about} Requires --share and a single file.` },
    workspace,
    keyOption,
    jsonOption,
  ],
  examples: [
    'upload report.pdf',
    'upload *.pdf --folder fld_… --share',
    'upload report.pdf --share --email-required --expires 30d',
    'upload report.pdf --document doc_…',
    'upload report.pdf --folder fld_…',
    'pg_dump app | latchkey upload - --name app.sql',
  ],
  load: async () => (await import('./upload.ts')).runUpload,
};

export const linksForCommand: Command = {
  name: 'create-for',
  about: 'Creates one link for each recipient: all of them, or none.',
  details:
    'Reads the addresses from the first column of a CSV file, or one from each line. Only the ' +
    'recipient can open a link, after a one-time code. Prints each recipient ' +
    'and the address of the link.',
  args: [
    {
      name: 'document-id',
      isOptional: true,
      about: 'The id of the document. Omit it with --folder.',
    },
    {
      name: 'file',
      isFile: true,
      about: 'At most 200 recipients; `-` for the standard input.',
    },
  ],
  options: [
    ...Object.entries(linksForFields).map(([path, field]) => optionOf(path, field)),
    { name: 'agreement', value: 'text', about: 'The text that recipients accept first.' },
    workspace,
    keyOption,
    jsonOption,
  ],
  examples: [
    'links create-for doc_… people.csv --mail --expires 30d',
    'links create-for people.csv --folder fld_…',
  ],
  load: async () => (await import('./links-for.ts')).runLinksFor,
};

export const logoCommand: Command = {
  name: 'set-logo',
  about: 'Sets the logo of a workspace.',
  args: [
    { name: 'workspace-id', about: 'The id of the workspace.' },
    { name: 'file', isFile: true, about: 'A PNG, JPEG or WebP image of at most 1 MB.' },
  ],
  options: [jsonOption],
  examples: ['workspaces set-logo ws_… logo.png'],
  load: async () => (await import('./logo.ts')).runLogo,
};

export const downloadCommand: Command = {
  name: 'download',
  about: 'Downloads a document.',
  args: [{ name: 'document-id', about: 'The id of the document.' }],
  options: [
    output,
    { name: 'version', value: 'number', about: 'The version. Default: the current one.' },
    { name: 'preview', about: 'Downloads the PDF that the viewer shows of an Office file.' },
    workspace,
  ],
  examples: ['documents download doc_… --output report.pdf'],
  load: async () => (await import('./download.ts')).runDownload,
};

export const exportCommand: Command = {
  name: 'export',
  about: 'Writes all views of a link or a document as CSV.',
  args: [{ name: 'id', about: 'The id of the document or the link, or the address of the link.' }],
  options: [output, workspace],
  examples: ['views export lnk_… --output views.csv'],
  load: async () => (await import('./download.ts')).runExport,
};

export const exportVisitorsCommand: Command = {
  name: 'export',
  about: 'Writes all visitors as CSV.',
  args: [],
  options: [output, workspace],
  examples: ['visitors export --output visitors.csv'],
  load: async () => (await import('./download.ts')).runExportVisitors,
};

export const exportAuditCommand: Command = {
  name: 'export',
  about: 'Writes all audit events that match all filters, newest first.',
  args: [],
  options: [
    output,
    { name: 'format', value: 'format', values: ['csv', 'ndjson'], about: 'Default: csv.' },
    { name: 'actor', value: 'id', about: 'Only events of this caller.' },
    { name: 'target', value: 'id', about: 'Only events on this resource.' },
    { name: 'action', value: 'action', about: 'Only events of this action.' },
    { name: 'code', value: 'code', about: 'Only events with this error code.' },
    { name: 'token-id', value: 'id', about: 'Only calls with the token of this `jti`.' },
    { name: 'start-time', value: 'time', about: 'Only events from this time on: a time, or 7d.' },
    { name: 'end-time', value: 'time', about: 'Only events before this time.' },
  ],
  examples: ['audit export --start-time 30d --output audit.csv', 'audit export --format ndjson'],
  load: async () => (await import('./download.ts')).runExportAudit,
};

export const exportUserCommand: Command = {
  name: 'export',
  about: 'Writes what the service holds about you, as a tar archive of JSON files.',
  args: [],
  options: [output],
  examples: ['users export --output my-data.tar'],
  load: async () => (await import('./download.ts')).runExportUser,
};
