// The server of a command without a credential.
import type {
  DescMessage,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import { type CommandHost, type Input, textOption, UsageError } from '../base/command.ts';
import { ask, canAsk } from '../base/prompt.ts';
import { commandLineVariables as variables } from '../variables.ts';
import { explain } from './errors.ts';
import { type Profile, readProfile, serverOf } from './profile.ts';
import { callUnary, connectTo, type Target } from './transport.ts';

/** Returns the server of the option, of the environment or of the profile, or asks for it. */
export async function readServer(
  input: Input,
  host: CommandHost,
  earlier: Profile | undefined,
): Promise<string> {
  const named = textOption(input, 'server') ?? (host.env[variables.server] || earlier?.server);
  if (named !== undefined) return serverOf(named);
  if (!canAsk(host)) throw new UsageError('Name the server with --server.');
  return serverOf((await ask(host, 'Server (https://…): ')).trim());
}

/** Calls a public method. */
export async function callPublic<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  target: Target,
): Promise<MessageShape<O>> {
  try {
    return (await callUnary(connectTo(target), method, request)).message;
  } catch (error) {
    throw explain(error, target.server);
  }
}

/** A damaged profile names no server. */
export const findServer = async (input: Input, host: CommandHost) =>
  readServer(input, host, await readProfile(host.env).catch(() => undefined));
