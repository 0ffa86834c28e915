// The commands for the versions of documents, and for visitors.
import { groupOf } from './call-command.ts';
import { exportVisitorsCommand } from './transfer-commands.ts';

const document = { document_id: 'The id of the document.' };
const version = { version: 'The number of the version.' };
const isInWorkspace = true;

export const versionGroup = groupOf(
  'versions',
  'Manages the versions of a document. To add one, see `upload --document`.',
  [
    {
      name: 'list',
      about: 'Lists the versions.',
      method: 'document.listVersions',
      args: document,
      columns: [
        'version',
        { path: 'current', title: 'Current' },
        'content_type',
        ...(['size_bytes', 'page_count', 'create_time'] as const),
      ],
      isInWorkspace,
    },
    {
      name: 'restore',
      about: 'Makes a version the current one.',
      method: 'document.restoreVersion',
      args: { ...document, ...version },
      isInWorkspace,
    },
    {
      name: 'delete',
      about: 'Deletes a version that is not the current one.',
      method: 'document.deleteVersion',
      args: { ...document, ...version },
      question: 'The content of the version is lost. Delete it?',
      isInWorkspace,
    },
  ],
);

const visitor = { email: 'The email address of the visitor.' };

export const visitors = groupOf('visitors', 'Shows the people who viewed documents.', [
  {
    name: 'list',
    about: 'Lists the visitors, the latest visit first.',
    method: 'visitor.listVisitors',
    columns: ['email', 'view_count', 'create_time', { path: 'last_view_time', title: 'Last view' }],
    isInWorkspace,
  },
  {
    name: 'get',
    about: 'Shows a visitor.',
    method: 'visitor.getVisitor',
    args: visitor,
    isInWorkspace,
  },
  {
    name: 'views',
    about: 'Lists the views of a visitor: link, document, version and pages.',
    method: 'visitor.listVisitorViews',
    args: visitor,
    columns: [
      { path: 'create_time', title: 'Opened' },
      ...(['document_name', 'version', 'link_name', 'duration_ms', 'download_count'] as const),
    ],
    isInWorkspace,
  },
  {
    name: 'delete',
    about: 'Erases a person: removes the address from all views, links and waiting mails.',
    method: 'visitor.deleteVisitor',
    args: visitor,
    question:
      'The address is removed from all views, links and waiting mails. Links that no one else ' +
      'could open are revoked. Erase the address?',
    isInWorkspace,
  },
  exportVisitorsCommand,
]);
