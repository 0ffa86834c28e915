// The commands for the custom domains of workspaces.
import { groupOf } from './call-command.ts';

const workspace = { workspace_id: 'The id of the workspace.' };
const domain = { ...workspace, domain_id: 'The id of the domain.' };

/** The part of `workspaces` for domains. */
export const domainGroup = groupOf('domains', 'Manages the custom domains of a workspace.', [
  {
    name: 'list',
    about: 'Lists the domains.',
    method: 'domain.listDomains',
    args: workspace,
    columns: [
      'id',
      'name',
      'state',
      { path: 'primary', title: 'Primary' },
      { path: 'create_time', title: 'Added' },
    ],
  },
  {
    name: 'get',
    about: 'Shows a domain, with the TXT record that verifies it.',
    method: 'domain.getDomain',
    args: domain,
  },
  {
    name: 'create',
    about: 'Adds a domain. It works once it is verified.',
    method: 'domain.createDomain',
    isCreating: true,
    args: { ...workspace, name: 'The host name.' },
    examples: ['workspaces domains create ws_… docs.example.com'],
  },
  {
    name: 'update',
    about: 'Uses a domain in the URLs of links, or no longer.',
    method: 'domain.updateDomain',
    args: domain,
    fields: { primary: { about: 'Whether the URLs of links have the domain.' } },
  },
  {
    name: 'verify',
    about: 'Verifies a domain by its TXT record.',
    method: 'domain.verifyDomain',
    args: domain,
  },
  {
    name: 'approve',
    about: 'Verifies a domain without a TXT record. For staff and service clients.',
    method: 'domain.approveDomain',
    args: domain,
  },
  {
    name: 'delete',
    about: 'Deletes a domain: URLs with it stop working.',
    method: 'domain.deleteDomain',
    args: domain,
  },
]);
