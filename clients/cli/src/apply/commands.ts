// The commands that keep the configuration of a server in files.
import { type Command, jsonOption } from '../base/command.ts';
import { applyStatuses } from './statuses.ts';

const apply: Command = {
  name: 'apply',
  about: 'Makes the clients, audiences and other resources of a server match YAML files.',
  details:
    'Reads the YAML files of a folder, prints the plan, and makes the changes. Finds resources ' +
    'by their external id. Reports problems of the files before any change. A change that fails ' +
    'does not stop the others, unless the sign-in is missing or refused, or a secret cannot be ' +
    'stored. ' +
    'docs/guides/as-code.md describes the files.',
  options: [
    {
      ...{ name: 'folder', short: 'f', value: 'folder', isFile: true },
      about: 'The folder with the files, whose names end with `.yaml` or `.yml`. Required.',
    },
    { name: 'dry-run', about: 'Prints the plan and changes nothing.' },
    {
      name: 'prune',
      about:
        'Removes what no file names: disables clients and customers, and deletes audiences and ' +
        'trusted issuers. Resources without an external id, and workspaces, remain.',
    },
    {
      ...{ name: 'secrets-dir', value: 'folder', isFile: true },
      about:
        'Stores the secrets of new clients, one file each, which only you can read; `-` prints ' +
        'them. Required if the files have new clients.',
    },
    jsonOption,
  ],
  examples: ['apply -f config --dry-run', 'apply -f config --prune --secrets-dir secrets'],
  statuses: {
    [applyStatuses.same]: 'Nothing was different.',
    [applyStatuses.failed]: 'The arguments or the files are wrong, or a change failed.',
    [applyStatuses.changed]: 'All changes were made.',
    [applyStatuses.drift]: 'With --dry-run: there are differences.',
  },
  usageStatus: applyStatuses.failed,
  load: async () => (await import('./apply.ts')).runApply,
};

const exportCommand: Command = {
  name: 'export',
  about: 'Writes the resources with an external id as the files that `apply` reads.',
  details: 'Writes one file for each kind. Secrets and keys are not exported.',
  args: [{ name: 'folder', isFile: true, about: 'The folder for the files.' }],
  options: [{ name: 'replace', about: 'Replaces existing files.' }],
  examples: ['export config'],
  load: async () => (await import('./export.ts')).runExport,
};

export const fileCommands: readonly Command[] = [apply, exportCommand];
