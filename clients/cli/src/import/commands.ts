// The commands that import the clients of other authorization servers.

import { applyStatuses } from '../apply/statuses.ts';
import { type Command, jsonOption, type Option } from '../base/command.ts';

const options: readonly Option[] = [
  { name: 'dry-run', about: 'Prints the plan and changes nothing.' },
  {
    ...{ name: 'map-scope', value: 'old=new', isList: true },
    about: 'The scope that replaces an old one, such as `orders=orders:read`.',
  },
  {
    name: 'new-secrets',
    about: 'Gives each client a new secret instead of the one in the file.',
  },
  {
    ...{ name: 'secrets-dir', value: 'folder', isFile: true },
    about:
      'Stores the new secrets, one file each, which only you can read; `-` prints them. Required ' +
      'if a client cannot keep its secret.',
  },
  jsonOption,
];

const details =
  'Prints the plan, and for each client the fields that it does not carry over. Creates the ' +
  'clients that do not exist. Existing clients only get missing keys. A client that fails does ' +
  'not stop the others, unless the sign-in is missing or refused, or a secret cannot be stored. ' +
  'Run the command again for it. ' +
  'Only staff can import clients, within 5 minutes after they signed in. Reserved ids and ' +
  'invalid secrets are found only by the import itself, not by a dry run. ' +
  'docs/guides/move-client-credentials.md describes the fields.';

const common = {
  details,
  options,
  statuses: {
    [applyStatuses.same]: 'There is nothing to import.',
    [applyStatuses.failed]: 'The arguments or the file are wrong, or a client failed.',
    [applyStatuses.changed]: 'All changes were made.',
    [applyStatuses.drift]: 'With --dry-run: there are clients to import.',
  },
  usageStatus: applyStatuses.failed,
};

export const importCommand: Command = {
  name: 'import',
  about: 'Imports clients of other authorization servers with their ids and secrets.',
  commands: [
    {
      name: 'hydra',
      about: 'Imports clients of Ory Hydra.',
      args: [
        {
          ...{ name: 'file', isFile: true },
          about: 'The clients as JSON, from Hydra or its database; `-` for the standard input.',
        },
      ],
      examples: [
        'import hydra clients.json --dry-run',
        'import hydra clients.json --map-scope orders.read=orders:read',
      ],
      ...common,
      load: async () => {
        const [{ runImport }, { readHydra }] = await Promise.all([
          import('./import.ts'),
          import('./hydra.ts'),
        ]);
        return runImport(readHydra);
      },
    },
    {
      name: 'keycloak',
      about: 'Imports the clients of a Keycloak realm that have a service account.',
      args: [
        {
          ...{ name: 'file', isFile: true },
          about: 'The export of the realm; `-` for the standard input.',
        },
      ],
      examples: ['import keycloak realm.json --dry-run'],
      ...common,
      load: async () => {
        const [{ runImport }, { readKeycloak }] = await Promise.all([
          import('./import.ts'),
          import('./keycloak.ts'),
        ]);
        return runImport(readKeycloak);
      },
    },
  ],
};
