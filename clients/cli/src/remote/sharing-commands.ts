// The commands for workspaces, documents, links and views.
import type { Command } from '../base/command.ts';
import { apiKeys } from './api-key-commands.ts';
import { groupOf } from './call-command.ts';
import type { FieldOption } from './call-spec.ts';
import type { ListColumn } from './columns.ts';
import {
  etagField,
  externalIdField,
  externalIdFilter,
  nameField,
  pastField,
  showDeletedField,
  userArgument,
} from './common-fields.ts';
import { domainGroup } from './domain-commands.ts';
import { folderField, folders } from './folder-commands.ts';
import { invitationGroup, roles } from './invitation-commands.ts';
import { daysField, link, links, versionField, zoneField } from './link-commands.ts';
import { downloadCommand, exportCommand, logoCommand } from './transfer-commands.ts';
import { versionGroup, visitors } from './version-commands.ts';

const workspace = { workspace_id: 'The id of the workspace.' };
const document = { document_id: 'The id of the document.' };
const member = { ...workspace, ...userArgument };
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

const defaultField = (about: string): FieldOption => ({ about, isNegatable: true });
const factorRuleFields: Readonly<Record<string, FieldOption>> = {
  require_second_factor: {
    isNegatable: true,
    about: 'Whether members need a second factor.',
  },
  grace_days: {
    value: 'days',
    about: 'How many days members can work without it: at most 30.',
  },
};

const linkDefaultFields = {
  'link_defaults.email_required': defaultField('Whether new links ask for an email address.'),
  'link_defaults.email_verification_required': defaultField('Whether new links verify it.'),
  'link_defaults.allow_download': defaultField('Whether new links allow the download.'),
  'link_defaults.watermark': defaultField('Whether new links have a watermark.'),
  'link_defaults.program_access': defaultField('Whether programs may read for a person.'),
  'link_defaults.expire_days': {
    value: 'days',
    about: 'When new links expire. The console preselects these options; a change replaces all.',
  },
};

const workspaces = groupOf('workspaces', 'Manages workspaces.', [
  {
    name: 'list',
    about: 'Lists the workspaces.',
    method: 'workspace.listWorkspaces',
    fields: { ...externalIdFilter, ...showDeletedField },
    columns: ['id', 'name', 'usage.documents', 'usage.bytes', 'delete_time'],
  },
  { name: 'get', about: 'Shows a workspace.', method: 'workspace.getWorkspace', args: workspace },
  {
    name: 'create',
    about: 'Creates a workspace.',
    method: 'workspace.createWorkspace',
    isCreating: true,
    args: { name: 'The display name.' },
    fields: { ...quotaFields, ...externalIdField },
  },
  {
    name: 'delete',
    about: 'Deletes a workspace with everything in it. It can be undone for 7 days.',
    method: 'workspace.deleteWorkspace',
    args: workspace,
    undo: 'workspaces undelete',
  },
  {
    name: 'undelete',
    about: 'Restores a deleted workspace.',
    method: 'workspace.undeleteWorkspace',
    args: workspace,
  },
  {
    name: 'update',
    about: 'Changes a workspace.',
    method: 'workspace.updateWorkspace',
    args: workspace,
    fields: {
      name: nameField,
      ...quotaFields,
      'brand.accent_color': { value: 'colour', about: 'The colour of buttons, `#rrggbb`.' },
      ...linkDefaultFields,
      ...factorRuleFields,
      ...externalIdField,
      ...etagField,
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
  domainGroup,
]);

const viewColumns: readonly ListColumn[] = [
  { path: 'create_time', title: 'Opened' },
  'email',
  'email_verified',
  'acting_client_name',
  'duration_ms',
  'download_count',
  'id',
];

const viewsOfVersion: FieldOption = {
  value: 'number',
  about: 'Only views of this version of the document.',
};

const documents = groupOf('documents', 'Manages documents. To add one, see `upload`.', [
  {
    name: 'list',
    about: 'Lists the documents.',
    method: 'document.listDocuments',
    fields: { folder_id: { ...folderField, about: 'Only documents that this folder contains.' } },
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
    about: 'Renames a document, or moves it to a folder.',
    method: 'document.updateDocument',
    args: document,
    fields: { name: nameField, folder_id: folderField, ...etagField },
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
  {
    name: 'notices',
    about: 'Shows the last view of each link that you created and get emails about.',
    method: 'insight.getNotices',
    isWhole: true,
    columns: [...viewColumns, 'link_name'],
    isInWorkspace,
  },
  {
    name: 'mark-read',
    about: 'Marks the views of `views notices` as read.',
    method: 'insight.markNoticesRead',
    fields: { read_time: pastField('Only views until this time') },
    isInWorkspace,
  },
  exportCommand,
]);

export const sharingCommands: readonly Command[] = [
  ...[workspaces, apiKeys, documents, folders, links, views, visitors],
];
