// The commands for workspaces, documents, links and views.
import type { Command } from '../base/command.ts';
import { apiKeys } from './api-key-commands.ts';
import { groupOf } from './call-command.ts';
import type { FieldOption } from './call-spec.ts';
import { expireField, nameField } from './client-commands.ts';
import type { ListColumn } from './columns.ts';
import { invitationGroup, roles } from './invitation-commands.ts';
import { downloadCommand, exportCommand, logoCommand } from './transfer-commands.ts';
import { versionGroup, visitors } from './version-commands.ts';

const workspace = { workspace_id: 'The id of the workspace.' };
const document = { document_id: 'The id of the document.' };
const link = { link_id: 'The id of the link, or its address.' };
const member = { ...workspace, user_id: 'The id of the user.' };
const isInWorkspace = true;
const added: ListColumn = { path: 'create_time', title: 'Added' };

const quotaField = (of: string): FieldOption => ({
  value: 'count',
  about: `The maximum ${of}. A change replaces all limits.`,
});
const quotaFields = {
  'quota.bytes_max': quotaField('size of all documents in bytes'),
  'quota.documents_max': quotaField('number of documents'),
  'quota.links_max': quotaField('number of links'),
  'quota.views_max': quotaField('number of views'),
};

const workspaces = groupOf('workspaces', 'Manages workspaces.', [
  {
    name: 'list',
    about: 'Lists the workspaces.',
    method: 'workspace.listWorkspaces',
    columns: ['id', 'name', 'usage.documents', 'usage.bytes'],
  },
  { name: 'get', about: 'Shows a workspace.', method: 'workspace.getWorkspace', args: workspace },
  {
    name: 'create',
    about: 'Creates a workspace.',
    method: 'workspace.createWorkspace',
    isCreating: true,
    args: { name: 'The display name.' },
    fields: quotaFields,
  },
  {
    name: 'update',
    about: 'Changes the name, the limits or the colour of a workspace.',
    method: 'workspace.updateWorkspace',
    args: workspace,
    fields: {
      name: nameField,
      ...quotaFields,
      'brand.accent_color': { value: 'colour', about: 'The colour of buttons, `#rrggbb`.' },
    },
  },
  logoCommand,
  {
    name: 'delete-logo',
    about: 'Deletes the logo of a workspace.',
    method: 'workspace.deleteWorkspaceLogo',
    args: workspace,
  },
  groupOf('members', 'Manages the members of a workspace.', [
    {
      name: 'list',
      about: 'Lists the members.',
      method: 'workspace.listMembers',
      args: workspace,
      columns: ['user_id', 'email', 'name', 'role', added],
    },
    {
      name: 'put',
      about: 'Changes the role of a member. Staff and services can also add a user.',
      method: 'workspace.putMember',
      args: member,
      fields: { role: { value: 'role', values: roles, about: 'The role of the user.' } },
      examples: ['workspaces members put ws_… usr_… --role admin'],
    },
    {
      name: 'remove',
      about: 'Removes a user from a workspace.',
      method: 'workspace.removeMember',
      args: member,
    },
  ]),
  {
    name: 'leave',
    about: 'Ends your own membership of a workspace.',
    method: 'workspace.leaveWorkspace',
    args: workspace,
  },
  invitationGroup,
]);

const viewColumns: readonly ListColumn[] = [
  { path: 'create_time', title: 'Opened' },
  'email',
  'email_verified',
  'duration_ms',
  'download_count',
  'id',
];

const daysField: FieldOption = { name: 'days', value: 'count', about: 'The number of days.' };
const versionField: FieldOption = {
  value: 'number',
  about: 'The version that the figures are about. Default: the one that readers see now.',
};
const viewsOfVersion: FieldOption = {
  value: 'number',
  about: 'Only views of this version of the document.',
};
const zoneField: FieldOption = {
  value: 'zone',
  about: 'The time zone of the days, such as Europe/Berlin.',
};

const documents = groupOf('documents', 'Manages documents. To add one, see `upload`.', [
  {
    name: 'list',
    about: 'Lists the documents.',
    method: 'document.listDocuments',
    columns: ['id', 'name', 'size_bytes', 'view_count', 'link_count', 'create_time'],
    examples: ['documents list --query report --order-by "view_count desc"'],
    isInWorkspace,
  },
  {
    name: 'get',
    about: 'Shows a document.',
    method: 'document.getDocument',
    args: document,
    isInWorkspace,
  },
  {
    name: 'update',
    about: 'Renames a document.',
    method: 'document.updateDocument',
    args: document,
    fields: { name: nameField },
    isInWorkspace,
  },
  {
    name: 'delete',
    about: 'Deletes a document with its links and views.',
    method: 'document.deleteDocument',
    args: document,
    question: 'The document, its links and its views are lost. Delete it?',
    isInWorkspace,
  },
  {
    name: 'insight',
    about: 'Shows how readers use a document.',
    method: 'insight.getDocumentInsight',
    args: document,
    fields: { day_count: daysField, time_zone: zoneField, version: versionField },
    isInWorkspace,
  },
  {
    name: 'views',
    about: 'Lists the views of a document through all its links.',
    method: 'insight.listDocumentViews',
    args: document,
    fields: { version: viewsOfVersion },
    columns: [...viewColumns, 'link_name'],
    isInWorkspace,
  },
  downloadCommand,
  versionGroup,
]);

const flag = (about: string): FieldOption => ({ about, isNegatable: true });

const linkFields: Readonly<Record<string, FieldOption>> = {
  name: nameField,
  email_required: flag('Whether readers enter their email address.'),
  email_verification_required: flag('Whether readers prove the address with a one-time code.'),
  password: {
    isSecret: true,
    about: 'Asks for the password of the link, or reads it from the standard input.',
  },
  expire_time: expireField,
  allow_download: flag('Whether readers can download the document.'),
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
};

const links = groupOf('links', 'Manages links to documents.', [
  {
    name: 'list',
    about: 'Lists the links.',
    method: 'link.listLinks',
    fields: { document_id: { value: 'id', about: 'Only links to this document.' } },
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
    about: 'Creates a link to a document.',
    method: 'link.createLink',
    isCreating: true,
    args: document,
    fields: linkFields,
    examples: ['links create doc_… --email-required --expires 30d'],
    isInWorkspace,
  },
  {
    name: 'update',
    about: 'Changes a link.',
    method: 'link.updateLink',
    args: link,
    fields: linkFields,
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
    name: 'insight',
    about: 'Shows how readers use a link.',
    method: 'insight.getLinkInsight',
    args: link,
    fields: { day_count: daysField, time_zone: zoneField, version: versionField },
    isInWorkspace,
  },
]);

const views = groupOf('views', 'Shows who viewed a document.', [
  {
    name: 'list',
    about: 'Lists the views of a link.',
    method: 'link.listLinkViews',
    args: link,
    fields: { version: viewsOfVersion },
    columns: viewColumns,
    isInWorkspace,
  },
  exportCommand,
]);

export const sharingCommands: readonly Command[] = [
  ...[workspaces, apiKeys, documents, links, views, visitors],
];
