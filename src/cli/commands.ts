// The tree of all commands of the program: those of an installation, and those of @latchkey/cli.
import { remoteGroups, rootOf } from '../../clients/cli/src/commands.ts';
import { installationCommands } from './installation-commands.ts';

export const rootCommand = rootOf([
  {
    title: 'Installation',
    about: 'These commands use the settings of the service, and its database and files.',
    commands: installationCommands,
  },
  ...remoteGroups,
]);
