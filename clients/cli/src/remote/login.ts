// `login` and `logout`.
import { SessionService } from '../../../../gen/latchkey/identity/v1/session_pb.js';
import {
  type CommandHost,
  errorMessageOf,
  type Input,
  textOption,
  UsageError,
} from '../base/command.ts';
import { wantsJson, writeJson } from '../base/print.ts';
import { ask, canAsk, readLines } from '../base/prompt.ts';
import { commandLineVariables as variables } from '../variables.ts';
import { explain } from './errors.ts';
import {
  type Profile,
  type ProfileCredential,
  readProfile,
  removeProfile,
  requireApiKey,
  requireVisible,
  saveProfile,
} from './profile.ts';
import { readServer } from './server.ts';
import { readPassword, signIn } from './sign-in.ts';
import { callUnary, connectTo, cookieHeader } from './transport.ts';
import { describeCredential, identify } from './whoami.ts';

export async function runLogin(input: Input, host: CommandHost): Promise<number> {
  // A damaged profile is replaced.
  const earlier = await readProfile(host.env).catch(() => undefined);
  const server = await readServer(input, host, earlier);
  const credential = await readCredential(input, host, server, earlier);
  const workspaceId = textOption(input, 'workspace');
  const profile: Profile = { server, workspaceId, credential };
  // A client or key is stored only if the server accepts it.
  const identity = await identify(host, profile);
  await saveProfile(host.env, profile);
  if (wantsJson(input)) await writeJson(host, identity);
  else host.stderr.write(`Signed in to ${server} as ${describeCredential(credential)}.\n`);
  return 0;
}

async function readCredential(
  input: Input,
  host: CommandHost,
  server: string,
  earlier: Profile | undefined,
): Promise<ProfileCredential> {
  const clientId = textOption(input, 'client');
  const isApiKey = input.options['api-key'] === true;
  const email = textOption(input, 'email');
  if ([clientId !== undefined, isApiKey, email !== undefined].filter(Boolean).length > 1) {
    throw new UsageError('--email, --client and --api-key exclude each other.');
  }
  if (clientId !== undefined) {
    const clientSecret = await readSecret(host, variables.clientSecret, 'Client secret');
    return { kind: 'client', clientId, clientSecret };
  }
  if (isApiKey) {
    const apiKey = await readSecret(host, variables.apiKey, 'API key');
    return { kind: 'api-key', apiKey: requireApiKey(apiKey, 'The API key') };
  }
  return signInUser(input, host, server, earlier);
}

async function signInUser(
  input: Input,
  host: CommandHost,
  server: string,
  earlier: Profile | undefined,
): Promise<ProfileCredential> {
  const isPiped = input.options['password-stdin'] === true;
  const named = textOption(input, 'email');
  if (named === undefined && isPiped) throw new UsageError('Name the user with --email.');
  if (!isPiped && !canAsk(host)) {
    throw new UsageError('Without a terminal, use --password-stdin, --client or --api-key.');
  }
  const email = named ?? (await ask(host, 'Email: ')).trim();
  const answers = await readPassword(host, isPiped);
  const isSame = earlier?.server === server && earlier.credential.kind === 'session';
  // The server ends the earlier session, and recognizes the device.
  const cookies = isSame && earlier.credential.kind === 'session' ? earlier.credential.cookies : {};
  try {
    return (await signIn(connectTo(server), { email, ...answers }, cookies)).credential;
  } catch (error) {
    throw explain(error, server);
  }
}

/** Reads a secret from the environment, the terminal or a pipe. */
async function readSecret(host: CommandHost, variable: string, name: string): Promise<string> {
  const set = host.env[variable];
  if (set) return requireVisible(set, variable);
  const value = canAsk(host)
    ? await ask(host, `${name}: `, { isSecret: true })
    : (await readLines(host))[0];
  if (!value) throw new UsageError(`Set ${variable}, or write the secret to the standard input.`);
  return requireVisible(value.trim(), name);
}

/** Removes the profile even if the server cannot be reached. */
export async function runLogout(_input: Input, host: CommandHost): Promise<number> {
  const profile = await readProfile(host.env).catch(() => undefined);
  await removeProfile(host.env);
  if (profile?.credential.kind !== 'session') return 0;
  const { server, credential } = profile;
  const method = SessionService.method.signOut;
  try {
    await callUnary(connectTo(server), method, {}, cookieHeader(credential.cookies));
  } catch (error) {
    const reason = errorMessageOf(explain(error, server));
    host.stderr.write(`The profile was removed, but the session was not ended: ${reason}\n`);
  }
  return 0;
}
