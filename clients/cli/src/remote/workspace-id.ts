// The workspace in which a command acts.
import { type Input, textOption, UsageError } from '../base/command.ts';
import { isId } from '../base/ids.ts';
import type { Remote } from './remote.ts';

/** The value of `--workspace`. */
export function givenWorkspaceId(input: Input): string | undefined {
  const id = textOption(input, 'workspace');
  if (id === undefined || isId('ws', id)) return id;
  // The text is not repeated: it may be a secret in the wrong place.
  const what = '--workspace is not a workspace id: ws_ and 22 letters or digits.';
  throw new UsageError(`${what} \`latchkey workspaces list\` shows the ids.`);
}

/** A workspace's API key is bound to its workspace. */
export function workspaceIdOf(input: Input, { profile }: Remote): string | undefined {
  const given = givenWorkspaceId(input);
  return given ?? (profile.credential.kind === 'api-key' ? undefined : profile.workspaceId);
}
