// The master key file of the data folder. It is used if the settings contain no master key. The
// first start creates `master.key`. A rotation writes the new key to `master.key.next` first, so
// that each value can be decrypted with one of the two files, even if the rotation is interrupted.
import { randomBytes } from 'node:crypto';
import { readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { readFileIfAny, syncFolder, writeFileOnce } from '../files/durable-files.ts';
import { createMasterKey, type MasterKey } from './master-key.ts';

const fileIn = (dataDir: string) => path.join(dataDir, 'master.key');
const nextFileIn = (dataDir: string) => path.join(dataDir, 'master.key.next');

type Settings = Pick<Config, 'dataDir' | 'masterKey' | 'previousMasterKey'>;

/** Creates the file if the settings have no key and it is missing. */
export async function openMasterKey(settings: Settings): Promise<MasterKey> {
  const { dataDir, masterKey, previousMasterKey } = settings;
  const previous = listOf(previousMasterKey);
  if (masterKey !== undefined) return createMasterKey(masterKey, previous);
  const next = listOf(await readNextMasterKeyFile(dataDir));
  return createMasterKey(await readMasterKeyFile(dataDir), [...next, ...previous]);
}

/** Like `openMasterKey`, but creates no file. Returns undefined if no master key exists. */
export async function readMasterKeyIfAny(settings: Settings): Promise<MasterKey | undefined> {
  if (settings.masterKey === undefined) {
    const text = await readFileIfAny(fileIn(settings.dataDir));
    if (text === undefined) return undefined;
  }
  return openMasterKey(settings);
}

export function describeMissingMasterKey({ dataDir }: Pick<Settings, 'dataDir'>): string {
  return (
    `the database has signing keys, but their master key is missing: ${fileIn(dataDir)} does not ` +
    'exist and LATCHKEY_MASTER_KEY is not set. Restore the file or set LATCHKEY_MASTER_KEY'
  );
}

export async function readMasterKeyFile(dataDir: string): Promise<Uint8Array> {
  return readOrMake(fileIn(dataDir));
}

export async function readExistingMasterKeyFile(dataDir: string): Promise<Uint8Array | undefined> {
  return readIfAny(fileIn(dataDir));
}

export async function makeNextMasterKeyFile(dataDir: string): Promise<Uint8Array> {
  return readOrMake(nextFileIn(dataDir));
}

export async function readNextMasterKeyFile(dataDir: string): Promise<Uint8Array | undefined> {
  return readIfAny(nextFileIn(dataDir));
}

export async function placeNextMasterKeyFile(dataDir: string): Promise<void> {
  await rename(nextFileIn(dataDir), fileIn(dataDir));
  await syncFolder(dataDir);
}

export type KeyFileTexts = {
  readonly masterKey: string | undefined;
  readonly nextMasterKey: string | undefined;
};

export async function readKeyFileTexts(dataDir: string): Promise<KeyFileTexts> {
  // In this order: a rotation that ends in between renames the next file.
  const nextMasterKey = await readFileIfAny(nextFileIn(dataDir));
  return { masterKey: await readFileIfAny(fileIn(dataDir)), nextMasterKey };
}

export async function placeKeyFileTexts(dataDir: string, texts: KeyFileTexts): Promise<void> {
  await place(fileIn(dataDir), texts.masterKey);
  await place(nextFileIn(dataDir), texts.nextMasterKey);
}

async function place(file: string, text: string | undefined): Promise<void> {
  if (text === undefined || (await writeFileOnce(file, text))) return;
  const found = parse(await readFile(file, 'utf8'), file);
  if (Buffer.compare(found, parse(text, file)) !== 0) {
    throw new Error(`${file} contains another key than the backup`);
  }
}

export function parseKeyFileTexts({ masterKey, nextMasterKey }: KeyFileTexts): MasterKey {
  const keys = [masterKey, nextMasterKey].filter((text) => text !== undefined);
  const [first, ...others] = keys.map((text) => parse(text, 'the backup'));
  if (first === undefined) throw new Error('the backup does not contain the master key');
  return createMasterKey(first, others);
}

async function readIfAny(file: string): Promise<Uint8Array | undefined> {
  const text = await readFileIfAny(file);
  return text === undefined ? undefined : parse(text, file);
}

async function readOrMake(file: string): Promise<Uint8Array> {
  const found = await readIfAny(file);
  if (found !== undefined) return found;
  // `writeFileOnce` keeps the file if another process creates it first.
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
