// The checks of files: permissions, the master key, the disk, and the limit of open files.
import { constants } from 'node:fs';
import { access, readFile, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../base/config/config.ts';
import { describeMissingMasterKey } from '../base/crypto/master-key-file.ts';
import { findExposedPath } from '../base/files/private-files.ts';
import { formatSize } from '../base/http/format-size.ts';
import { databaseFile, isMissingOrEmpty, privateFiles } from '../boot/installation/data-folder.ts';
import { inspectDatabase } from '../storage/inspection.ts';
import { type Finding, fileExists, ok, problem, warning } from './finding.ts';

export async function checkFiles(config: Config): Promise<Finding[]> {
  const { dataDir, blobs } = config;
  if (!(await fileExists(dataDir))) {
    return [warning('files', `${dataDir} does not exist; the first start creates it`)];
  }
  const unwritable = await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => false,
    () => true,
  );
  if (unwritable) {
    const message = `no write access to ${dataDir}; run as the user of the service, or chown it`;
    return [problem('files', message)];
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

export async function checkMasterKey(config: Config): Promise<Finding[]> {
  const { dataDir, masterKey } = config;
  if (masterKey !== undefined) return [ok('master key', 'LATCHKEY_MASTER_KEY is set')];
  const file = path.join(dataDir, 'master.key');
  if (!(await fileExists(file))) {
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

const mebibyte = 1024 * 1024;
const freeBytesMin = 100 * mebibyte;
const freeFilesMin = 10_000;

export async function checkDisk({ dataDir, databaseUrl }: Config): Promise<Finding[]> {
  const file = databaseFile(databaseUrl);
  const folders = new Set([dataDir, ...(file === undefined ? [] : [path.dirname(file)])]);
  const findings: Finding[] = [];
  for (const folder of folders) {
    if (await fileExists(folder)) findings.push(await checkFreeSpace('disk', folder));
  }
  return findings;
}

export async function checkFreeSpace(check: string, folder: string): Promise<Finding> {
  const { bavail, bsize, ffree, files } = await statfs(folder);
  const freeBytes = bavail * bsize;
  const free = formatSize(freeBytes, { locale: 'en', rounding: 'floor' });
  if (freeBytes < freeBytesMin) {
    return warning(check, `the disk of ${folder} has ${free} left; free some space`);
  }
  // Some file systems do not count files.
  if (files > 0 && ffree < freeFilesMin) {
    return warning(check, `the disk of ${folder} has room for ${ffree} files; delete some files`);
  }
  return ok(check, `${folder} is writable, with ${free} left`);
}

/** Each connection needs a descriptor, and each upload or download needs another. */
const descriptorsMin = 1_024;

export async function checkDescriptors(): Promise<Finding[]> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, soft = ''] = /^Max open files +(\d+)/m.exec(limits) ?? [];
  if (soft === '') return [warning('descriptors', 'the limit of open files cannot be read')];
  if (Number(soft) < descriptorsMin) {
    const message = `at most ${soft} open files; raise the limit to ${descriptorsMin} or more`;
    return [warning('descriptors', `${message} (ulimit -n, LimitNOFILE)`)];
  }
  return [ok('descriptors', `at most ${soft} open files`)];
}
