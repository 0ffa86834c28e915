// The commands of a running server's users. The code of a command is loaded only when it runs.
import { fileCommands } from './apply/commands.ts';
import type { Command, CommandGroup, Option } from './base/command.ts';
import { importCommand } from './import/commands.ts';
import { accessCommands } from './remote/access-commands.ts';
import { auditCommands } from './remote/audit-commands.ts';
import { clientCommands } from './remote/client-commands.ts';
import { customerCommands } from './remote/customer-commands.ts';
import { invitationCommands } from './remote/invitation-commands.ts';
import { keyCommands } from './remote/key-commands.ts';
import { providerCommands } from './remote/provider-commands.ts';
import { sharingCommands } from './remote/sharing-commands.ts';
import { uploadCommand } from './remote/transfer-commands.ts';
import { userCommands } from './remote/user-commands.ts';

const withCredential =
  'These commands call a running server with the credential of `latchkey login`.';

/** The commands by their purpose, as docs/cli.md lists them. */
export const remoteGroups: readonly CommandGroup[] = [
  {
    title: 'Access',
    about: 'These commands sign in to a running server, and issue and check tokens.',
    commands: accessCommands,
  },
  {
    title: 'Clients, customers and keys',
    about: withCredential,
    commands: [...clientCommands, ...customerCommands, ...keyCommands],
  },
  {
    title: 'Configuration in files',
    about: withCredential,
    commands: [...fileCommands, importCommand],
  },
  {
    title: 'Users and audit',
    about: withCredential,
    commands: [...userCommands, ...auditCommands, ...providerCommands],
  },
  {
    title: 'Documents and links',
    about: withCredential,
    commands: [uploadCommand, ...sharingCommands, ...invitationCommands],
  },
];

/** The option of the program, before or after a command. */
export const profileOption: Option = {
  name: 'profile',
  value: 'name',
  about:
    'The profile of the server and the credential. Default: LATCHKEY_PROFILE, or the chosen one.',
};

/** The program with these commands, and one that completes them. */
export function rootOf(groups: readonly CommandGroup[]): Command {
  const completion: Command = {
    name: 'completion',
    about: 'Prints a script that completes commands, options, values, profiles and ids in a shell.',
    details:
      'The Tab key completes the id of a resource that begins with the typed text. In bash and ' +
      'zsh, a name may also begin with it. The server of the profile finds them. The script runs ' +
      'this command again with the words of the line.',
    args: [
      { name: 'shell', values: ['bash', 'zsh', 'fish'], about: 'The shell.' },
      {
        name: 'words',
        isOptional: true,
        isList: true,
        about:
          'After `--`: the words of a line without the name of the program. Completes the last.',
      },
    ],
    examples: [
      'source <(latchkey completion bash)',
      'latchkey completion zsh > ~/.zfunc/_latchkey',
      'latchkey completion fish > ~/.config/fish/completions/latchkey.fish',
    ],
    load: async () => {
      const { runCompletion } = await import('./completion.ts');
      return (input, host) => runCompletion(root, input, host);
    },
  };
  const about = 'Scripts for bash, zsh and fish.';
  const all = [...groups, { title: 'Shell completion', about, commands: [completion] }];
  const root: Command = {
    name: 'latchkey',
    about: 'Issues short-lived access tokens and shares documents by link.',
    options: [profileOption],
    commands: all.flatMap(({ commands }) => commands),
    groups: all,
  };
  return root;
}
