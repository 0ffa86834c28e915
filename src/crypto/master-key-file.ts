// The master key file of a data folder, for settings without a master key. The first start creates
// `master.key`. A rotation writes the new key to `master.key.next` first, so that one of the two
// keys decrypts each value, even if the rotation is interrupted.
import { randomBytes } from 'node:crypto';
import { readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { readFileIfAny, syncFolder, writeFileOnce } from '../files/files.ts';
import { createMasterKey, type MasterKey } from './master-key.ts';

const fileIn = (dataDir: string) => path.join(dataDir, 'master.key');
const nextFileIn = (dataDir: string) => path.join(dataDir, 'master.key.next');

type Settings = Pick<Config, 'dataDir' | 'masterKey' | 'previousMasterKey'>;

/** The master key that the settings or the data folder name, and those that it replaces. */
export async function openMasterKey(settings: Settings): Promise<MasterKey> {
  const { dataDir, masterKey, previousMasterKey } = settings;
  const previous = listOf(previousMasterKey);
  if (masterKey !== undefined) return createMasterKey(masterKey, previous);
  const next = listOf(await readNextMasterKeyFile(dataDir));
  return createMasterKey(await readMasterKeyFile(dataDir), [...next, ...previous]);
}

/** Like `openMasterKey`, but makes no file. Undefined if no master key exists. */
export async function readMasterKeyIfAny(settings: Settings): Promise<MasterKey | undefined> {
  if (settings.masterKey === undefined) {
    const text = await readFileIfAny(fileIn(settings.dataDir));
    if (text === undefined) return undefined;
  }
  return openMasterKey(settings);
}

/** The key of the data folder (mode 0600). Created if it does not exist. */
export async function readMasterKeyFile(dataDir: string): Promise<Uint8Array> {
  return readOrMake(fileIn(dataDir));
}

/** The key that will replace the data folder's key. Created once. */
export async function makeNextMasterKeyFile(dataDir: string): Promise<Uint8Array> {
  return readOrMake(nextFileIn(dataDir));
}

export async function readNextMasterKeyFile(dataDir: string): Promise<Uint8Array | undefined> {
  const file = nextFileIn(dataDir);
  const text = await readFileIfAny(file);
  return text === undefined ? undefined : parse(text, file);
}

/** Replaces the data folder's key with the next key. */
export async function placeNextMasterKeyFile(dataDir: string): Promise<void> {
  await rename(nextFileIn(dataDir), fileIn(dataDir));
  await syncFolder(dataDir);
}

async function readOrMake(file: string): Promise<Uint8Array> {
  const text = await readFileIfAny(file);
  if (text !== undefined) return parse(text, file);
  // Another process may create it first.
  await writeFileOnce(file, `${randomBytes(32).toString('hex')}\n`);
  return parse(await readFile(file, 'utf8'), file);
}

function parse(text: string, file: string): Uint8Array {
  const digits = text.trim();
  if (!/^[0-9a-f]{64}$/.test(digits)) {
    throw new Error(`${file} does not hold 64 hexadecimal digits`);
  }
  return Buffer.from(digits, 'hex');
}

const listOf = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value]);
