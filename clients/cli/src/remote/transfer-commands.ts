// The commands that send or receive files.
import { type Command, jsonOption, type Option } from '../base/command.ts';
import { keyOption } from './call-command.ts';

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
  about: 'Uploads a document or a new version, and creates a link to it with --share.',
  details:
    'Prints the id of the document, or with --share the address of the link. A terminal shows a ' +
    'progress bar. An interrupted upload leaves nothing behind.',
  args: [{ name: 'file', isFile: true, about: 'The file, or `-` for the standard input.' }],
  options: [
    { name: 'name', value: 'name', about: 'The name of the document. Default: the file name.' },
    {
      name: 'document',
      value: 'id',
      about: 'Adds a version to this document. Its links show it; its name changes with --name.',
    },
    { name: 'share', about: 'Creates a link and prints its address.' },
    { name: 'email-required', about: 'Readers of the link enter their email address.' },
    {
      name: 'email-verification-required',
      about: 'Readers of the link prove their address with a one-time code.',
    },
    { name: 'allow-download', about: 'Readers of the link can download the document.' },
    {
      name: 'expires',
      value: 'time',
      about: 'When the link expires: a time, or for example `30d`.',
    },
    workspace,
    keyOption,
    jsonOption,
  ],
  examples: [
    'upload report.pdf',
    'upload report.pdf --share --email-required --expires 30d',
    'upload report.pdf --document doc_…',
    'pg_dump app | latchkey upload - --name app.sql',
  ],
  load: async () => (await import('./upload.ts')).runUpload,
};

export const logoCommand: Command = {
  name: 'set-logo',
  about: 'Sets the logo of a workspace.',
  args: [
    { name: 'workspace-id', about: 'The id of the workspace.' },
    { name: 'file', isFile: true, about: 'A PNG, JPEG or WebP image of at most 1 MiB.' },
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
