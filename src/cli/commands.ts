// The tree of all commands. The code of a command is loaded only when it runs.
import type { Command, CommandGroup } from './base/command.ts';
import { installationCommands } from './installation-commands.ts';
import { accessCommands } from './remote/access-commands.ts';
import { clientCommands } from './remote/client-commands.ts';
import { invitationCommands } from './remote/invitation-commands.ts';
import { sharingCommands } from './remote/sharing-commands.ts';
import { uploadCommand } from './remote/transfer-commands.ts';
import { userCommands } from './remote/user-commands.ts';

/** The commands by their purpose, as docs/cli.md lists them. */
const mainGroups: readonly CommandGroup[] = [
  {
    title: 'Installation',
    about: 'These commands use the settings of the service, and its database and files.',
    commands: installationCommands,
  },
  {
    title: 'Access',
    about: 'These commands sign in to a running server, and issue and check tokens.',
    commands: accessCommands,
  },
  {
    title: 'Clients, customers and keys',
    about: 'These commands call a running server with the credential of `latchkey login`.',
    commands: clientCommands,
  },
  {
    title: 'Users and audit',
    about: 'These commands call a running server with the credential of `latchkey login`.',
    commands: userCommands,
  },
  {
    title: 'Documents and links',
    about: 'These commands call a running server with the credential of `latchkey login`.',
    commands: [uploadCommand, ...sharingCommands, ...invitationCommands],
  },
];

const completion: Command = {
  name: 'completion',
  about: 'Prints a script that completes commands, options and values in a shell.',
  args: [{ name: 'shell', values: ['bash', 'zsh', 'fish'], about: 'The shell.' }],
  examples: [
    'source <(latchkey completion bash)',
    'latchkey completion zsh > ~/.zfunc/_latchkey',
    'latchkey completion fish > ~/.config/fish/completions/latchkey.fish',
  ],
  load: async () => {
    const { runCompletion } = await import('./completion.ts');
    return (input, host) => runCompletion(rootCommand, input, host);
  },
};

export const commandGroups: readonly CommandGroup[] = [
  ...mainGroups,
  {
    title: 'Shell completion',
    about: 'Scripts for bash, zsh and fish.',
    commands: [completion],
  },
];

/** The root is the program itself. */
export const rootCommand: Command = {
  name: 'latchkey',
  about: 'Issues short-lived access tokens and shares documents by link.',
  commands: commandGroups.flatMap(({ commands }) => commands),
  groups: commandGroups,
};
