// The checks of the database, its schema and its clock.

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { errorMessageOf } from '../../clients/cli/src/base/command.ts';
import { dayMs } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import { readMasterKeyIfAny } from '../base/crypto/master-key-file.ts';
import { errorCodeOf } from '../base/files/error-code.ts';
import {
  databaseFile,
  describeLostDatabase,
  findInstallationRemains,
  isMissingOrEmpty,
} from '../boot/installation/data-folder.ts';
import { requireSqliteFile } from '../storage/drivers/sqlite-file.ts';
import { type Inspection, inspectDatabase } from '../storage/inspection.ts';
import { type Finding, fileExists, ok, problem, warning } from './finding.ts';
import { findUnfinishedRestore } from './stores.ts';

const clockAheadMsMax = 60_000;
const quietDays = 30;

export async function checkDatabase(config: Config, now: number): Promise<Finding[]> {
  const file = databaseFile(config.databaseUrl);
  // The first start creates a missing data folder.
  if (file !== undefined && (await fileExists(config.dataDir))) requireSqliteFile(file);
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
    const remedy =
      errorCodeOf(error) === readOnlyState
        ? 'name the primary server in LATCHKEY_DATABASE_URL'
        : 'check LATCHKEY_DATABASE_URL and that the database server runs';
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
  return [
    checkSchema(config, inspection),
    ...(await checkServer(config, inspection)),
    ...keys,
    ...checkClock(newestTime, now),
  ];
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

/** The SQLSTATE of a standby. Every connection checks for it. */
const readOnlyState = '25006';

const slowMs = 100;
const skewMsMax = 5_000;

async function checkServer({ databaseUrl }: Config, { server }: Inspection): Promise<Finding[]> {
  const { version, latencyMs, skewMs } = server;
  const file = databaseFile(databaseUrl);
  if (file !== undefined && !(await isWritable(file))) {
    const message = `no write access to ${file}; run as the user of the service, or chown it`;
    return [problem('database', message)];
  }
  const findings: Finding[] = [];
  const latency = `answers in ${latencyMs.toFixed(1)} ms`;
  if (latencyMs > slowMs) {
    const message = `${version} ${latency}; move the service closer to the database`;
    findings.push(warning('database', message));
  } else {
    findings.push(ok('database', `${version} is writable and ${latency}`));
  }
  if (Math.abs(skewMs) > skewMsMax) {
    const side = skewMs > 0 ? 'behind' : 'ahead of';
    const seconds = Math.round(Math.abs(skewMs) / 1000);
    const message = `this clock is ${seconds} s ${side} that of the database; set both with NTP`;
    findings.push(warning('clock', message));
  }
  return findings;
}

/** SQLite also writes files next to its own. */
async function isWritable(file: string): Promise<boolean> {
  const paths = [access(file, constants.W_OK), access(path.dirname(file), constants.W_OK)];
  return Promise.all(paths).then(
    () => true,
    () => false,
  );
}

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
