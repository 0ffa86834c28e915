// `profiles`: lists, chooses and deletes profiles.
import { CommandError, type CommandHost, type Input, withVariable } from '../base/command.ts';
import { wantsJson, write, writeRows } from '../base/print.ts';
import { jsonText } from '../base/text.ts';
import { commandLineVariables as variables } from '../variables.ts';
import { runLogout } from './login.ts';
import {
  chooseProfile,
  currentProfile,
  listProfiles,
  readProfile,
  requireProfileName,
} from './profile.ts';
import { describeCredential } from './whoami.ts';

const withProfile = (host: CommandHost, name: string) =>
  withVariable(host, variables.profile, name);

export async function runListProfiles(input: Input, host: CommandHost): Promise<number> {
  const current = await currentProfile(host.env);
  const rows = [];
  for (const name of await listProfiles(host.env)) {
    const { env } = withProfile(host, name);
    // A damaged profile can still be deleted.
    const profile = await readProfile(env).catch(() => undefined);
    const credential = profile === undefined ? 'damaged' : describeCredential(profile.credential);
    rows.push({ name, server: profile?.server ?? '', credential, current: name === current });
  }
  if (wantsJson(input)) await write(host, rows.map((row) => `${jsonText(row)}\n`).join(''));
  else {
    const titles = { name: 'Name', server: 'Server', credential: 'Credential', current: 'Current' };
    const fields = Object.entries(titles).map(([path, title]) => ({ path, title }));
    await writeRows(host, fields, rows);
  }
  return 0;
}

export async function runUseProfile({ args }: Input, host: CommandHost): Promise<number> {
  const name = await requireStored(args.profile, host);
  await chooseProfile(host.env, name);
  host.stderr.write(`Later commands use the profile ${name}.\n`);
  return 0;
}

/** Also ends the session of a user. */
export async function runDeleteProfile(input: Input, host: CommandHost): Promise<number> {
  const name = await requireStored(input.args.profile, host);
  return runLogout(input, withProfile(host, name));
}

async function requireStored(given: string | undefined, { env }: CommandHost): Promise<string> {
  const name = requireProfileName(given ?? '');
  if ((await listProfiles(env)).includes(name)) return name;
  throw new CommandError(`There is no profile ${name}.`, undefined, 'missing');
}
