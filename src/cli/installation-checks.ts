// The checks of the command `doctor`.

import { constants } from 'node:fs';
import { access, readFile, stat, statfs } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import type { Clock } from '../clock.ts';
import { describeBlobLocation, type S3Location } from '../config/blob-url.ts';
import { type Config, ConfigError, readConfig } from '../config/config.ts';
import { describeMissingMasterKey, readMasterKeyIfAny } from '../crypto/master-key-file.ts';
import { findExposedPath } from '../files/private-files.ts';
import {
  databaseFile,
  describeLostDatabase,
  findInstallationRemains,
  isMissingOrEmpty,
  privateFiles,
} from '../installation/data-folder.ts';
import { isForeignFolder } from '../sharing/blobs/foreign-folder.ts';
import { withS3Blobs } from '../sharing/blobs/open-store.ts';
import { describeStoreError } from '../sharing/blobs/s3-failure.ts';
import { describeForeign } from '../sharing/blobs/store-id.ts';
import { type Inspection, inspectDatabase } from '../storage/inspection.ts';
import { requireSqliteFile } from '../storage/sqlite-file.ts';
import { errorMessageOf } from './base/command.ts';
import { findUnfinishedRestore, findWrongStore } from './stores.ts';

export type Finding = {
  readonly level: 'ok' | 'warning' | 'problem';
  readonly check: string;
  /** The state, and the remedy if there is a problem. */
  readonly message: string;
};

export type DoctorOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: Clock;
};

type Check = (config: Config, now: number) => Promise<Finding[]>;

const ok = (check: string, message: string): Finding => ({ level: 'ok', check, message });
const warning = (check: string, message: string): Finding => ({ level: 'warning', check, message });
const problem = (check: string, message: string): Finding => ({ level: 'problem', check, message });

/** Runs all checks. A check that throws is reported as a problem. */
export async function runDoctor({ env, now }: DoctorOptions): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((message) => problem('settings', message));
  }
  const findings = [ok('settings', 'every setting is valid')];
  for (const [name, check] of Object.entries(checks)) {
    const found = await check(config, now()).catch((error: unknown) => [
      problem(name, errorMessageOf(error)),
    ]);
    findings.push(...found);
  }
  return findings;
}

/** Formats one line of the report. */
export function formatFinding({ level, check, message }: Finding): string {
  return `${level.padEnd(8)} ${check.padEnd(12)} ${message}\n`;
}

const checks: Readonly<Record<string, Check>> = {
  files: checkFiles,
  'master key': checkMasterKey,
  database: checkDatabase,
  blobs: checkBlobs,
  proxies: checkProxies,
  mail: checkMail,
  descriptors: checkDescriptors,
};

async function checkFiles(config: Config): Promise<Finding[]> {
  const { dataDir, blobs } = config;
  if (!(await exists(dataDir))) {
    return [warning('files', `${dataDir} does not exist; the first start creates it`)];
  }
  const paths = [dataDir, path.join(dataDir, 'outbox'), ...privateFiles(config)];
  if (blobs.kind === 'folder') paths.push(blobs.path);
  const open = await Promise.all(paths.map(findExposedPath));
  const findings = open.flatMap((one) =>
    one === undefined ? [] : [warning('files', `${one.path}: ${one.message}`)],
  );
  if (findings.length > 0) return findings;
  return [ok('files', `only their owner can open the files in ${dataDir}`)];
}

async function checkMasterKey(config: Config): Promise<Finding[]> {
  const { dataDir, masterKey } = config;
  if (masterKey !== undefined) return [ok('master key', 'LATCHKEY_MASTER_KEY is set')];
  const file = path.join(dataDir, 'master.key');
  if (!(await exists(file))) {
    if (await hasSigningKeys(config)) {
      return [problem('master key', describeMissingMasterKey(config))];
    }
    return [warning('master key', `${file} does not exist; the first start creates it`)];
  }
  const isKey = /^[0-9a-f]{64}\s*$/.test(await readFile(file, 'utf8'));
  if (isKey) return [ok('master key', `${file} contains a key; keep a copy in another place`)];
  return [problem('master key', `${file} does not contain 64 hexadecimal digits; restore it`)];
}

/** Returns false if the database cannot be read, which `checkDatabase` reports. */
async function hasSigningKeys(config: Config): Promise<boolean> {
  const file = databaseFile(config.databaseUrl);
  if (file !== undefined && (await isMissingOrEmpty(file))) return false;
  const inspection = await inspectDatabase(config.databaseUrl, config).catch(() => undefined);
  return inspection !== undefined && inspection.masterKeyIds.length > 0;
}

const clockAheadMsMax = 60_000;
const dayMs = 86_400_000;
const quietDays = 30;

async function checkDatabase(config: Config, now: number): Promise<Finding[]> {
  const file = databaseFile(config.databaseUrl);
  // The first start creates a missing data folder.
  if (file !== undefined && (await exists(config.dataDir))) requireSqliteFile(file);
  const found = await findInstallationRemains(config);
  const lost = problem('database', describeLostDatabase(config, found));
  if (file !== undefined && (await isMissingOrEmpty(file))) {
    if (found.isRefused) return [lost];
    return [warning('database', `${file} does not exist; the first start creates it`)];
  }
  let inspection: Inspection;
  try {
    inspection = await inspectDatabase(config.databaseUrl, config);
  } catch (error) {
    const remedy = 'check LATCHKEY_DATABASE_URL and that the database server runs';
    return [problem('database', `${errorMessageOf(error)}; ${remedy}`)];
  }
  const { unknown, isSupported, newestTime, masterKeyIds } = inspection;
  if (!isSupported) {
    const names = unknown.join(', ');
    const message = `this version cannot run on the migrations ${names}; use a newer version`;
    return [problem('database', message)];
  }
  if (newestTime === undefined) {
    const restore = await findUnfinishedRestore(config, inspection);
    if (restore !== undefined) return [problem('database', restore)];
    if (found.isRefused) return [lost];
  }
  const keys = await checkKeyIds(config, masterKeyIds);
  return [checkSchema(config, inspection), ...keys, ...checkClock(newestTime, now)];
}

function checkSchema({ migrate }: Config, { missing, unknown }: Inspection): Finding {
  if (missing.length > 0) {
    const names = missing.join(', ');
    if (migrate === 'auto') return warning('database', `the next start applies ${names}`);
    const message = `the migrations ${names} are missing; run \`node dist/src/main.js migrate\``;
    return problem('database', message);
  }
  const schema =
    unknown.length === 0
      ? 'its schema is up to date'
      : `this version supports its newer schema (${unknown.join(', ')})`;
  return ok('database', `the database is reachable and ${schema}`);
}

/** Checks that the master key decrypts the signing keys of the database. */
async function checkKeyIds(config: Config, ids: readonly string[]): Promise<Finding[]> {
  // `checkMasterKey` already reports a file without a key.
  const masterKey = await readMasterKeyIfAny(config).catch(() => undefined);
  const others = ids.filter((id) => masterKey?.opens(id) === false);
  if (others.length === 0) return [];
  const message =
    `the signing keys are encrypted with ${others.join(', ')}, not with the master key ` +
    `${masterKey?.id}; restore the master key or the database that belongs to it`;
  return [problem('master key', message)];
}

function checkClock(newestTime: number | undefined, now: number): Finding[] {
  if (newestTime === undefined) return [];
  const newest = new Date(newestTime).toISOString();
  if (newestTime > now + clockAheadMsMax) {
    const message = `the newest row is from ${newest}, later than the clock; set the clock`;
    return [problem('clock', message)];
  }
  const days = Math.floor((now - newestTime) / dayMs);
  if (days > quietDays) {
    const message = `the newest row is ${days} days old; check that the clock is not ahead`;
    return [warning('clock', message)];
  }
  return [ok('clock', `the clock agrees with the newest row, from ${newest}`)];
}

const freeBytesMin = 100 * 1024 * 1024;

async function checkBlobs(config: Config): Promise<Finding[]> {
  const { blobs } = config;
  const wrong = await findWrongStore(config);
  if (wrong !== undefined) return [problem('blobs', wrong)];
  return blobs.kind === 'folder' ? checkBlobFolder(blobs.path) : checkBucket(blobs);
}

async function checkBucket(location: S3Location): Promise<Finding[]> {
  const place = describeBlobLocation(location);
  try {
    await withS3Blobs(location, (blobs) => blobs.probe());
    return [ok('blobs', `${place} is writable`)];
  } catch (error) {
    return [problem('blobs', `${place}: ${describeStoreError(error)}`)];
  }
}

async function checkBlobFolder(blobDir: string): Promise<Finding[]> {
  if (!(await exists(blobDir))) {
    return [warning('blobs', `${blobDir} does not exist; the first start creates it`)];
  }
  await access(blobDir, constants.R_OK | constants.W_OK | constants.X_OK);
  if (await isForeignFolder(blobDir)) return [problem('blobs', describeForeign(blobDir))];
  const { bavail, bsize } = await statfs(blobDir);
  const free = Math.floor((bavail * bsize) / 1024 / 1024);
  if (bavail * bsize < freeBytesMin) {
    return [warning('blobs', `the disk of ${blobDir} has ${free} MiB left; free some space`)];
  }
  return [ok('blobs', `${blobDir} is writable, with ${free} MiB left`)];
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

async function checkProxies(config: Config): Promise<Finding[]> {
  const { publicUrl, trustedProxies, http, tlsCert } = config;
  if (publicUrl?.startsWith('https:') && tlsCert === undefined && trustedProxies.length === 0) {
    const message =
      'LATCHKEY_PUBLIC_URL is https, which needs a proxy, but LATCHKEY_TRUSTED_PROXIES is empty: ' +
      'every caller seems to have the address of the proxy, and one caller can slow down all ' +
      'sign-ins. Set LATCHKEY_TRUSTED_PROXIES to the network of the proxy';
    return [warning('proxies', message)];
  }
  if (publicUrl === undefined && !loopback.test(http.host)) {
    const message =
      'LATCHKEY_PUBLIC_URL is not set, but LATCHKEY_HTTP_ADDRESS is not a loopback address: ' +
      'links and tokens will contain that address. Set LATCHKEY_PUBLIC_URL to the origin that ' +
      'users open';
    return [warning('proxies', message)];
  }
  return [ok('proxies', `the public URL is ${publicUrl ?? 'the local address'}`)];
}

const connectMs = 3_000;

async function checkMail({ smtp, dataDir }: Config): Promise<Finding[]> {
  if (smtp === undefined) {
    const outbox = path.join(dataDir, 'outbox');
    return [ok('mail', `mails are files in ${outbox}, because LATCHKEY_SMTP_URL is not set`)];
  }
  const { host, port } = smtp;
  try {
    await reach(host, port);
    return [ok('mail', `${host}:${port} accepts connections`)];
  } catch (error) {
    const reason = errorMessageOf(error);
    const message = `${host}:${port}: ${reason}; check LATCHKEY_SMTP_URL and the server`;
    return [problem('mail', message)];
  }
}

function reach(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: connectMs });
    socket.once('connect', () => resolve());
    socket.once('timeout', () => reject(new Error(`no connection within ${connectMs} ms`)));
    socket.once('error', reject);
    for (const event of ['connect', 'timeout', 'error']) socket.once(event, () => socket.destroy());
  });
}

/** Each connection needs a descriptor, and each upload or download needs another. */
const descriptorsMin = 1_024;

async function checkDescriptors(): Promise<Finding[]> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, soft = ''] = /^Max open files +(\d+)/m.exec(limits) ?? [];
  if (soft === '') return [warning('descriptors', 'the limit of open files cannot be read')];
  if (Number(soft) < descriptorsMin) {
    const message = `at most ${soft} open files; raise the limit to ${descriptorsMin} or more`;
    return [warning('descriptors', `${message} (ulimit -n, LimitNOFILE)`)];
  }
  return [ok('descriptors', `at most ${soft} open files`)];
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
