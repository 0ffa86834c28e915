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
import { type Target, targetOf } from './client-certificate.ts';
import { explain } from './errors.ts';
import { type Profile, readProfile, serverOf } from './profile.ts';
import { callUnary, connectTo } from './transport.ts';

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
export async function findTarget(input: Input, host: CommandHost): Promise<Target> {
  const profile = await readProfile(host.env).catch(() => undefined);
  const server = await readServer(input, host, profile);
  return targetOf(host, profile?.server === server ? profile : { server });
}
