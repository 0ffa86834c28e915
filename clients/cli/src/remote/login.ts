// `login` and `logout`.
import path from 'node:path';
import type { Transport } from '@connectrpc/connect';
import { SessionService } from '../../../../gen/latchkey/identity/v1/session_pb.js';
import { WorkspaceService } from '../../../../gen/latchkey/sharing/v1/workspace_pb.js';
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
import { signInWithBrowser } from './browser-sign-in.ts';
import { targetOf } from './client-certificate.ts';
import { explain, ServerError } from './errors.ts';
import { givenWorkspaceId } from './named-ids.ts';
import {
  type CertificateFiles,
  type Profile,
  type ProfileCredential,
  readProfile,
  removeProfile,
  requireApiKey,
  requireVisible,
  saveProfile,
} from './profile.ts';
import { createRemote } from './remote.ts';
import { readServer } from './server.ts';
import { type Cookies, readPassword, type SignedIn, signIn } from './sign-in.ts';
import { callUnary, connectTo, cookieHeader } from './transport.ts';
import { describeCredential, identify } from './whoami.ts';

export async function runLogin(input: Input, host: CommandHost): Promise<number> {
  // A damaged profile is replaced.
  const earlier = await readProfile(host.env).catch(() => undefined);
  const server = await readServer(input, host, earlier);
  const workspaceId = givenWorkspaceId(input);
  const certificate = readCertificateFiles(input, server);
  const credential = await readCredential(input, host, { server, certificate, earlier });
  const profile: Profile = { server, workspaceId, credential, certificate };
  if (workspaceId !== undefined) {
    await requireWorkspace(host, profile, workspaceId).catch(async (error) => {
      // The sign-in has ended the earlier session.
      const replaced = sessionOf(earlier, server);
      if (replaced !== undefined) await saveProfile(host.env, { ...replaced, credential });
      throw error;
    });
  }
  // A client or key is stored only if the server accepts it.
  const identity = await identify(host, profile);
  await saveProfile(host.env, profile);
  if (wantsJson(input)) await writeJson(host, identity);
  else host.stderr.write(`Signed in to ${server} as ${describeCredential(credential)}.\n`);
  return 0;
}

/** Refuses an unknown workspace. After any other error of the server, the id counts as known. */
async function requireWorkspace(host: CommandHost, profile: Profile, workspaceId: string) {
  try {
    const { getWorkspace } = WorkspaceService.method;
    await createRemote(host, profile).call(getWorkspace, { workspaceId });
  } catch (error) {
    if (!(error instanceof ServerError) || error.data.code === 'not_found') throw error;
  }
}

type Login = Pick<Profile, 'server' | 'certificate'> & {
  readonly earlier: Profile | undefined;
};

/** The certificate names the caller, so that it is never sent without encryption. */
function readCertificateFiles(input: Input, server: string): CertificateFiles | undefined {
  const file = textOption(input, 'certificate-file');
  const keyFile = textOption(input, 'certificate-key-file');
  if (file === undefined && keyFile === undefined) return undefined;
  if (keyFile === undefined)
    throw new UsageError('--certificate-file needs --certificate-key-file.');
  if (file === undefined) throw new UsageError('--certificate-key-file needs --certificate-file.');
  if (!server.startsWith('https:')) {
    throw new UsageError(`--certificate-file needs an https address, but the server is ${server}.`);
  }
  return { file: path.resolve(file), keyFile: path.resolve(keyFile) };
}

async function readCredential(
  input: Input,
  host: CommandHost,
  login: Login,
): Promise<ProfileCredential> {
  const clientId = textOption(input, 'client');
  const isApiKey = input.options['api-key'] === true;
  const isBrowser = input.options.browser === true;
  const email = textOption(input, 'email');
  const ways = [clientId !== undefined, isApiKey, isBrowser, email !== undefined];
  if (ways.filter(Boolean).length > 1) {
    throw new UsageError('--email, --browser, --client and --api-key exclude each other.');
  }
  if (isBrowser && input.options['password-stdin'] === true) {
    throw new UsageError('--browser needs no password.');
  }
  const keyFile = textOption(input, 'key-file');
  if (keyFile !== undefined) {
    if (clientId === undefined) throw new UsageError('--key-file needs --client.');
    return { kind: 'client-key', clientId, keyFile: path.resolve(keyFile) };
  }
  const hasSecret = Boolean(host.env[variables.clientSecret]);
  if (clientId !== undefined && login.certificate !== undefined && !hasSecret) {
    return { kind: 'certificate', clientId };
  }
  if (clientId !== undefined) {
    const clientSecret = await readSecret(host, variables.clientSecret, 'Client secret');
    return { kind: 'client', clientId, clientSecret };
  }
  if (isApiKey) {
    const apiKey = await readSecret(host, variables.apiKey, 'API key');
    return { kind: 'api-key', apiKey: requireApiKey(apiKey, 'The API key') };
  }
  return signInUser(login, host, (transport, cookies) =>
    isBrowser
      ? signInWithBrowser(host, transport, cookies)
      : signInWithPassword(input, host, transport, cookies),
  );
}

type SessionProfile = Profile & {
  readonly credential: Extract<ProfileCredential, { kind: 'session' }>;
};

/** The profile, if it has a session on the server. */
function sessionOf(profile: Profile | undefined, server: string): SessionProfile | undefined {
  if (profile?.server !== server || profile.credential.kind !== 'session') return undefined;
  return { ...profile, credential: profile.credential };
}

/** Sends the earlier cookies, so that the server ends that session and recognizes the device. */
async function signInUser(
  login: Login,
  host: CommandHost,
  start: (transport: Transport, cookies: Cookies) => Promise<SignedIn>,
): Promise<ProfileCredential> {
  const { server, earlier } = login;
  const cookies = sessionOf(earlier, server)?.credential.cookies ?? {};
  try {
    return (await start(connectTo(targetOf(host, login)), cookies)).credential;
  } catch (error) {
    throw explain(error, server);
  }
}

async function signInWithPassword(
  input: Input,
  host: CommandHost,
  transport: Transport,
  cookies: Cookies,
): Promise<SignedIn> {
  const isPiped = input.options['password-stdin'] === true;
  const named = textOption(input, 'email');
  if (named === undefined && isPiped) throw new UsageError('Name the user with --email.');
  if (!isPiped && !canAsk(host)) {
    throw new UsageError(
      'Without a terminal, use --password-stdin, --browser, --client or --api-key.',
    );
  }
  const email = named ?? (await ask(host, 'Email: ')).trim();
  const answers = await readPassword(host, isPiped);
  return signIn(transport, { email, ...answers }, cookies);
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
    const transport = connectTo(targetOf(host, profile));
    await callUnary(transport, method, {}, cookieHeader(credential.cookies));
  } catch (error) {
    const reason = errorMessageOf(explain(error, server));
    host.stderr.write(`The profile was removed, but the session was not ended: ${reason}\n`);
  }
  return 0;
}
