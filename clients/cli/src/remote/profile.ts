// Profiles: the servers and the credentials of `latchkey login`, in files that only their owner can
// read.
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { CommandError, type CommandHost, runnable, UsageError } from '../base/command.ts';
import { replaceFile } from '../base/files.ts';
import { cleanText } from '../base/text.ts';
import { commandLineVariables as variables } from '../variables.ts';

export type ProfileCredential =
  | {
      readonly kind: 'session';
      readonly email: string;
      /** The cookies of the session and of the known device, by name. */
      readonly cookies: Readonly<Record<string, string | undefined>>;
      /** Whether the user signed in through a browser, and confirms sensitive actions there. */
      readonly usesBrowser?: boolean | undefined;
      readonly token: string;
      /** When the token expires by the clock of this machine, in milliseconds since 1970. */
      readonly expireMs: number;
    }
  | { readonly kind: 'client'; readonly clientId: string; readonly clientSecret: string }
  /** A client with a key instead of a secret. The file contains the private JWK. */
  | { readonly kind: 'client-key'; readonly clientId: string; readonly keyFile: string }
  /** A client without a secret. The file contains a token of a trusted issuer. */
  | { readonly kind: 'assertion'; readonly clientId: string; readonly assertionFile: string }
  /** A client with a certificate instead of a secret (RFC 8705). */
  | { readonly kind: 'certificate'; readonly clientId: string }
  /** A workspace's or a customer's API key. */
  | { readonly kind: 'api-key'; readonly apiKey: string }
  | { readonly kind: 'token'; readonly token: string };

export type Profile = {
  readonly server: string;
  /** The workspace of commands without --workspace. */
  readonly workspaceId?: string | undefined;
  readonly credential: ProfileCredential;
  /** The certificate that each connection to the server presents. */
  readonly certificate?: CertificateFiles | undefined;
};

/** The absolute paths of PEM files. */
export type CertificateFiles = { readonly file: string; readonly keyFile: string };

type Environment = CommandHost['env'];

/** The profile without a name. */
const defaultProfile = 'default';

/** The folder of the profiles (XDG Base Directory Specification). */
function folderOf({ XDG_CONFIG_HOME = '', HOME = '' }: Environment): string {
  if (path.isAbsolute(XDG_CONFIG_HOME)) return path.join(XDG_CONFIG_HOME, 'latchkey');
  if (path.isAbsolute(HOME)) return path.join(HOME, '.config/latchkey');
  throw new CommandError('HOME and XDG_CONFIG_HOME are not set', undefined, 'access');
}

const namedFolderOf = (env: Environment) => path.join(folderOf(env), 'profiles');

/** The file with the name of the profile that `profiles use` has chosen. */
const chosenFileOf = (env: Environment) => path.join(folderOf(env), 'current');

/** Returns a name that is safe in the path of a file. */
export function requireProfileName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) return name;
  throw new UsageError(
    'The name of a profile has at most 64 letters, digits, dashes and underscores.',
  );
}

/** The profile of the option `--profile` or the environment, or else the chosen one. */
export async function currentProfile(env: Environment): Promise<string> {
  const named = env[variables.profile];
  if (named) return requireProfileName(named);
  const chosen = (await readIfExists(chosenFileOf(env)))?.trim();
  return chosen ? requireProfileName(chosen) : defaultProfile;
}

/** Makes a profile the one of later commands. */
export async function chooseProfile(env: Environment, name: string): Promise<void> {
  const file = chosenFileOf(env);
  if (name === defaultProfile) await rm(file, { force: true });
  else await saveFile(file, `${name}\n`);
}

/** The names of the stored profiles. */
export async function listProfiles(env: Environment): Promise<string[]> {
  const files = await readdir(namedFolderOf(env)).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw new CommandError(namedFolderOf(env), error, 'output');
  });
  const names = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -5));
  const isStored = (await readIfExists(profileFileOf(env, defaultProfile))) !== undefined;
  return [...(isStored ? [defaultProfile] : []), ...names.sort()];
}

const profileFileOf = (env: Environment, name: string) =>
  name === defaultProfile
    ? path.join(folderOf(env), 'profile.json')
    : path.join(namedFolderOf(env), `${name}.json`);

const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

async function readIfExists(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw new CommandError(file, error, 'output');
  });
}

/**
 * A credential in the environment replaces the profile. Throws a UsageError if the environment
 * names another server than the profile, whose credential is for its own server only.
 */
export async function findProfile(env: Environment): Promise<Profile | undefined> {
  const credential = credentialIn(env);
  const server = env[variables.server];
  const stored = credential === undefined ? await readProfile(env) : undefined;
  const workspaceId = env[variables.workspace] || stored?.workspaceId;
  if (credential !== undefined && env[variables.profile]) {
    throw new UsageError(
      `The environment has a credential, which replaces the profile. Unset it, or do not name a ` +
        'profile.',
    );
  }
  if (credential === undefined) {
    if (stored && server && serverOf(server) !== stored.server) {
      throw new UsageError(
        `${variables.server} is ${serverOf(server)}, but you are signed in to ${stored.server}. ` +
          `Unset ${variables.server}, or run: latchkey login --server ${serverOf(server)}`,
      );
    }
    return stored && { ...stored, workspaceId };
  }
  if (server) return { server: serverOf(server), workspaceId, credential };
  throw new CommandError(
    `The environment has a credential, but ${variables.server} is not set`,
    undefined,
    'usage',
  );
}

/** Whether the environment names a certificate. Each connection reads its files. */
export const namesCertificate = (env: Environment) =>
  Boolean(env[variables.certificateFile] || env[variables.certificateKeyFile]);

function credentialIn(env: Environment): ProfileCredential | undefined {
  const read = (name: string, require = requireVisible) => {
    const value = env[name];
    return value ? require(value, name) : undefined;
  };
  const token = read(variables.token);
  const apiKey = read(variables.apiKey, requireApiKey);
  const clientId = read(variables.clientId);
  const clientSecret = read(variables.clientSecret);
  if (token) return { kind: 'token', token };
  if (apiKey) return { kind: 'api-key', apiKey };
  if (clientId && clientSecret) return { kind: 'client', clientId, clientSecret };
  const keyFile = env[variables.keyFile];
  if (clientId && keyFile) return { kind: 'client-key', clientId, keyFile };
  const assertionFile = env[variables.assertionFile];
  if (clientId && assertionFile) return { kind: 'assertion', clientId, assertionFile };
  if (clientId && namesCertificate(env)) return { kind: 'certificate', clientId };
  return undefined;
}

/** Refuses a credential that no header can carry. The error does not contain it. */
export function requireVisible(credential: string, name: string): string {
  if (/^[\x21-\x7e]+$/.test(credential)) return credential;
  throw new UsageError(`${name} contains a space, a line break or another unexpected character.`);
}

/** Refuses a key of another form. The error does not contain it. */
export function requireApiKey(apiKey: string, name: string): string {
  if (/^lk_[cw]k_/.test(requireVisible(apiKey, name))) return apiKey;
  throw new UsageError(`${name} must begin with lk_ck_ (customer) or lk_wk_ (workspace).`);
}

/**
 * Returns undefined if the file does not exist. Throws if it is damaged or other users
 * can read it.
 */
export async function readProfile(env: Environment): Promise<Profile | undefined> {
  const file = profileFileOf(env, await currentProfile(env));
  let text: string;
  try {
    if (((await stat(file)).mode & 0o077) !== 0) {
      throw new CommandError(
        `Other users can read ${file}: run chmod 600 ${file}`,
        undefined,
        'access',
      );
    }
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error instanceof CommandError ? error : new CommandError(file, error, 'output');
  }
  try {
    const profile = JSON.parse(text);
    // This program wrote the file: `login` replaces a damaged one.
    if (typeof profile.server === 'string' && typeof profile.credential.kind === 'string') {
      return profile;
    }
  } catch {
    // Reported below.
  }
  throw new CommandError(`${file} is damaged. Run: latchkey login`, undefined, 'access');
}

/** A concurrent command reads the old or the new profile. */
export async function saveProfile(env: Environment, profile: Profile): Promise<void> {
  const file = profileFileOf(env, await currentProfile(env));
  await saveFile(file, `${JSON.stringify(profile)}\n`);
}

type SessionCredential = Extract<ProfileCredential, { kind: 'session' }>;

/**
 * Stores the new credential of a session, and returns whether it did. Stores nothing if the current
 * profile no longer has the session: another command has signed in, signed out or chosen another
 * profile in the meantime. The command continues with the new credential. If the profile
 * cannot be read or written, it prints a warning.
 */
export async function saveSession(
  host: CommandHost,
  { server, credential: before }: Profile,
  credential: SessionCredential,
): Promise<boolean> {
  const { env, stderr } = host;
  try {
    const stored = await readProfile(env);
    if (stored?.server !== server || !isSameSession(stored.credential, before)) return false;
    await saveProfile(env, { ...stored, credential });
    return true;
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof UsageError)) throw error;
    const ended = 'The session of the profile has ended. Run: latchkey login\n';
    const next = isSameSession(before, credential) ? '' : ended;
    const problem = `The session was not stored in the profile: ${cleanText(error.message)}\n`;
    stderr.write(runnable(problem + next, host));
    return false;
  }
}

const isSameSession = (one: ProfileCredential, other: ProfileCredential) =>
  one.kind === 'session' &&
  other.kind === 'session' &&
  isDeepStrictEqual(one.cookies, other.cookies);

async function saveFile(file: string, text: string): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, text);
  } catch (error) {
    throw new CommandError('The profile was not saved', error, 'output');
  }
}

/** Later commands do not use a removed profile. */
export async function removeProfile(env: Environment): Promise<void> {
  const name = await currentProfile(env);
  await rm(profileFileOf(env, name), { force: true });
  const chosen = await currentProfile({ ...env, [variables.profile]: undefined });
  if (chosen === name) await chooseProfile(env, defaultProfile);
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Suggests an address, if only the scheme is missing. */
function correctionOf(text: string): string {
  const [, host] = /^(\[[\da-f:]+\]|[\w.-]+)(:\d+)?(\/[\w./-]*)?$/i.exec(text) ?? [];
  if (host === undefined) return '';
  const address = `${loopback.test(host) ? 'http' : 'https'}://${text}`;
  return URL.canParse(address) ? ` Write ${address}.` : '';
}

/** Returns the address without a slash at its end. Throws if a credential could be overheard. */
export function serverOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The message does not repeat a password.
  if (text.includes('@')) {
    const message = 'The address of the server must not contain a user name or a password (@).';
    throw new CommandError(message, undefined, 'usage');
  }
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hash !== '') {
    const message = `"${text}" is not an http or https address.${correctionOf(text)}`;
    throw new CommandError(message, undefined, 'usage');
  }
  if (url.protocol === 'http:' && !loopback.test(url.hostname)) {
    const message = `${text} is not https: others could read the credential on its way`;
    throw new CommandError(message, undefined, 'usage');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
