// The commands for links.
import { groupOf } from './call-command.ts';
import type { FieldOption } from './call-spec.ts';
import { etagField } from './common-fields.ts';
import { linkFields, sharedFolderField, warnAboutLink } from './link-fields.ts';
import { linksForCommand } from './transfer-commands.ts';

const document = { document_id: 'The id of the document.' };
export const link = { link_id: 'The id of the link, or its address.' };
const isInWorkspace = true;

export const daysField: FieldOption = {
  name: 'days',
  value: 'count',
  about: 'The number of days.',
};
export const versionField: FieldOption = {
  value: 'number',
  about: 'The version that the figures are about. Default: the one that readers see now.',
};
export const zoneField: FieldOption = {
  value: 'zone',
  about: 'The time zone of the days, such as Europe/Berlin.',
};

const recipientFields: Readonly<Record<string, FieldOption>> = {
  recipient: { value: 'address', about: 'The person who gets the link.' },
  mail_recipient: { about: 'Mails the link to the recipient.' },
  mail_message: { value: 'text', about: 'A text that the mail quotes.' },
};

export const links = groupOf('links', 'Manages links to documents and folders.', [
  {
    name: 'list',
    about: 'Lists the links.',
    method: 'link.listLinks',
    fields: {
      document_id: { value: 'id', about: 'Only links to this document.' },
      folder_id: { value: 'id', about: 'Only links to this folder.' },
      state: {
        value: 'state',
        values: ['active', 'expired', 'revoked'],
        about: 'Only links in this state.',
      },
      reader: {
        value: 'address',
        about: 'Only links for this email address, or for this `@domain`.',
      },
      expire_before: {
        value: 'time',
        about: 'Only active links that expire before this time. `7d` is in seven days.',
      },
    },
    examples: [
      'links list --state active --reader ann@example.com',
      'links list --expire-before 7d --order-by expire_time',
    ],
    // A narrow terminal leaves out the last ones.
    columns: [
      'id',
      { path: 'name', title: 'Name', fallback: 'document_name' },
      ...(['revoke_time', 'view_count', 'expire_time', 'document_name', 'url'] as const),
    ],
    isInWorkspace,
  },
  { name: 'get', about: 'Shows a link.', method: 'link.getLink', args: link, isInWorkspace },
  {
    name: 'create',
    about: 'Creates a link to a document, or to a folder with --folder.',
    method: 'link.createLink',
    isCreating: true,
    args: document,
    optionalArg: 'document_id',
    fields: {
      folder_id: sharedFolderField,
      ...linkFields,
      ...recipientFields,
    },
    examples: [
      'links create doc_… --email-required --expires 30d',
      'links create --folder fld_… --email-required',
      'links create doc_… --copy',
    ],
    warn: warnAboutLink,
    copied: { path: 'url', what: 'the address of the link' },
    isInWorkspace,
  },
  linksForCommand,
  {
    name: 'update',
    about: 'Changes a link.',
    method: 'link.updateLink',
    args: link,
    fields: { ...linkFields, ...etagField },
    warn: warnAboutLink,
    isInWorkspace,
  },
  {
    name: 'revoke',
    about: 'Revokes a link: no one can open it any more.',
    method: 'link.revokeLink',
    args: link,
    isInWorkspace,
  },
  {
    name: 'batch-update',
    about: 'Changes several links: all of them, or none.',
    details:
      'Each change of the list names the fields to change in `updateMask`, such as ' +
      '`{"link_id": "lnk_…", "updateMask": "expireTime", "expire_time": "2030-01-31T12:00:00Z"}`.',
    method: 'link.batchUpdateLinks',
    fields: {
      requests: {
        value: 'file',
        isJsonFile: true,
        about: 'The file with the changes, as a JSON list: at most 200.',
      },
    },
    isInWorkspace,
  },
  {
    name: 'batch-revoke',
    about: 'Revokes several links: all of them, or none.',
    method: 'link.batchRevokeLinks',
    args: { ids: 'The ids of the links: at most 200.' },
    listArg: 'ids',
    isInWorkspace,
  },
  {
    name: 'receipt',
    about: 'Shows an agreement that a reader accepted, with its signed receipt.',
    method: 'link.getAgreementReceipt',
    args: { agreement_id: 'The id of the agreement, from `views list --json`.' },
    isInWorkspace,
  },
  {
    name: 'insight',
    about: 'Shows how readers use a link.',
    method: 'insight.getLinkInsight',
    args: link,
    fields: { day_count: daysField, time_zone: zoneField, version: versionField },
    isInWorkspace,
  },
]);
