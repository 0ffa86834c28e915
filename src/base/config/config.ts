// Converts the environment to a Config, without opening connections. The only files that it reads
// are those with secrets. Reports all bad values at once, and repeats none of them, because a value
// may be a secret.
import { commandLineVariables } from '../../../clients/cli/src/variables.ts';
import { describeBlobLocation } from './blob-url.ts';
import { localSender } from './mail.ts';
import { type Environment, fileVariableOf, readSecretFiles } from './secret-files.ts';
import type { EarlierSettings, Setting } from './setting.ts';
import { settings } from './settings.ts';
import type { ValueType } from './values.ts';

export type { Address } from './values.ts';

type Settings = typeof settings;

type SettingName = Settings[keyof Settings]['name'];

type ValueOf<S extends Setting> = S extends { readonly type: ValueType<infer T> }
  ? S extends { readonly default: string }
    ? T
    : S extends { readonly defaultOf: (earlier: EarlierSettings) => infer D }
      ? T | D
      : T | undefined
  : never;

export type Config = { readonly [K in keyof Settings]: ValueOf<Settings[K]> };

export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

// The first start writes these variables into a file that users source, and the command line reads
// some of them. They are not settings.
const ignored = new Set<string>([
  ...Object.values(commandLineVariables),
  'LATCHKEY_SHARING_BASE_URL',
  'LATCHKEY_OPS_URL',
]);

// Kubernetes sets these for a Service whose name begins with `latchkey`.
const serviceLink = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\w+)?)$/;

const secretNames = Object.values<Setting>(settings)
  .filter(({ isSecret }) => isSecret)
  .map(({ name }) => name);

export function readConfig(variables: Environment): Config {
  return readSettings(variables).config;
}

/** Also returns the variables with the contents of secret files, for other processes. */
export function readSettings(variables: Environment): { config: Config; resolved: Environment } {
  const problems = unknownNames(variables).map((name) => `${name}: there is no such setting`);
  const bad = new Set<string>();
  function report(name: string, message: string): void {
    bad.add(name);
    problems.push(`${name}: ${message}`);
  }
  const env = readSecretFiles(variables, secretNames, report);
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries<Setting>(settings)) {
    values[key] = readSetting(setting, env, values, report);
  }
  // The keys and values come from the same table as the type.
  const config = values as Config;
  for (const [name, problemOf] of Object.entries(rules)) {
    const message = bad.has(name) ? undefined : problemOf(config);
    if (message !== undefined) report(name, message);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const names = Object.values<Setting>(settings).map(({ name }) => name);
  return { config, resolved: Object.fromEntries(names.map((name) => [name, env[name]])) };
}

function unknownNames(env: Environment): string[] {
  const names = Object.values(settings).map(({ name }) => name);
  const known = new Set<string>([...names, ...secretNames.map(fileVariableOf)]);
  return Object.keys(env).filter(
    (name) =>
      name.startsWith('LATCHKEY_') &&
      !known.has(name) &&
      !ignored.has(name) &&
      !serviceLink.test(name),
  );
}

function readSetting(
  { name, type, default: fixed, defaultOf, emptyValue }: Setting,
  env: Environment,
  values: Readonly<Record<string, unknown>>,
  report: (name: string, message: string) => void,
): unknown {
  const value = env[name] ?? '';
  if (value !== '') {
    try {
      const read = type.read(value);
      if (read !== undefined) return read;
      report(name, `must be ${type.expected.replaceAll('`', '')}`);
    } catch (error) {
      report(name, error instanceof Error ? error.message : String(error));
    }
  }
  if (env[name] === '' && emptyValue !== undefined) return emptyValue;
  if (fixed !== undefined) return type.read(fixed);
  // The table lists a setting after the settings that its default depends on.
  return defaultOf?.(values as EarlierSettings);
}

const clientCaProblem = (
  clientCa: string | undefined,
  { tlsCert, tlsKey }: Pick<Config, 'tlsCert' | 'tlsKey'>,
) =>
  clientCa !== undefined && tlsCert === undefined && tlsKey === undefined
    ? 'requires LATCHKEY_TLS_CERT and LATCHKEY_TLS_KEY'
    : undefined;

const rules: Partial<Record<SettingName, (config: Config) => string | undefined>> = {
  LATCHKEY_TLS_CERT: ({ tlsCert, tlsKey }) =>
    tlsCert === undefined && tlsKey !== undefined
      ? 'must be set together with LATCHKEY_TLS_KEY'
      : undefined,
  LATCHKEY_TLS_KEY: ({ tlsCert, tlsKey }) =>
    tlsCert !== undefined && tlsKey === undefined
      ? 'must be set together with LATCHKEY_TLS_CERT'
      : undefined,
  LATCHKEY_HTTP_CLIENT_CA: ({ httpClientCa, ...config }) => clientCaProblem(httpClientCa, config),
  LATCHKEY_GRPC_CLIENT_CA: ({ grpcClientCa, ...config }) => clientCaProblem(grpcClientCa, config),
  LATCHKEY_PUBLIC_URL: ({ tlsCert, publicUrl }) =>
    tlsCert !== undefined && publicUrl?.startsWith('http:')
      ? 'must begin with https:, because LATCHKEY_TLS_CERT is set'
      : undefined,
  LATCHKEY_PREVIOUS_MASTER_KEY: ({ masterKey: a, previousMasterKey: b }) =>
    a !== undefined && b !== undefined && Buffer.compare(a, b) === 0
      ? 'must differ from LATCHKEY_MASTER_KEY'
      : undefined,
  LATCHKEY_MAIL_FROM: ({ smtp, mailFrom }) =>
    smtp !== undefined && smtp.encryption !== 'local' && mailFrom === localSender
      ? 'must be set, because LATCHKEY_PUBLIC_URL has no domain'
      : undefined,
  LATCHKEY_BACKUP_SCHEDULE: ({ backupSchedule, backupTarget, backupRecipients }) =>
    backupSchedule !== undefined && (backupTarget === undefined || backupRecipients === undefined)
      ? 'requires LATCHKEY_BACKUP_TARGET and LATCHKEY_BACKUP_RECIPIENT'
      : undefined,
  LATCHKEY_BACKUP_TARGET: ({ backupTarget: target, blobs }) =>
    target !== undefined && describeBlobLocation(target) === describeBlobLocation(blobs)
      ? 'must differ from LATCHKEY_BLOB_URL'
      : undefined,
  LATCHKEY_BLOB_REDIRECT_SECONDS: ({ blobRedirectSeconds, blobs }) =>
    blobRedirectSeconds > 0 && blobs.kind === 'folder'
      ? 'must be 0, because LATCHKEY_BLOB_URL is not an S3 store'
      : undefined,
};
