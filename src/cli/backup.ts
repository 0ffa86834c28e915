// `backup <file>`: writes an encrypted copy of all rows, documents and keys. Can run while
// the service runs.

import path from 'node:path';
import {
  CommandError,
  type CommandHost,
  type Input,
  type Output,
  textOption,
  UsageError,
} from '../../clients/cli/src/base/command.ts';
import { wantsJson, write, writeJson } from '../../clients/cli/src/base/print.ts';
import { abortOnSignal } from '../../clients/cli/src/base/signals.ts';
import { generateBackupKey } from '../backup/encryption.ts';
import { type BackupEnd, BackupError, type BlobMode } from '../backup/format.ts';
import { dayMs } from '../base/clock.ts';
import { readConfig } from '../base/config/config.ts';
import { removeTemporaries, writeFileOnce, writeNewFile } from '../base/files/durable-files.ts';
import { makeBackup, requireRecipients } from './make-backup.ts';
import { blobModeOf } from './stores.ts';
import { runTargetBackup } from './target-backup.ts';

const damagedStatus = 3;

export async function runBackup(input: Input, host: CommandHost): Promise<number> {
  const { file } = input.args;
  // The parser accepts no other value.
  const mode = textOption(input, 'blobs') as BlobMode | undefined;
  if (input.options['make-key'] === true) {
    if (file === undefined) throw new UsageError('--make-key needs a file.');
    return makeKey(file, input, host);
  }
  if (file === undefined) return runTargetBackup(input, host, mode);
  if (input.options['if-due'] === true)
    throw new UsageError('--if-due cannot be used with a file.');
  if (file === '-' && wantsJson(input)) throw new UsageError('--json needs a file.');
  if (file === '-' && host.stdout.isTTY === true) {
    throw new UsageError('A terminal cannot show a backup. Name a file.');
  }
  const config = readConfig(host.env);
  const recipients = requireRecipients(config);
  const stopping = abortOnSignal(host, new BackupError('it was stopped'));
  try {
    const usedMode = mode ?? blobModeOf(config);
    const end = await makeBackup({
      ...{ config, recipients, mode: usedMode, stop: stopping.signal },
      store: (bytes) => (file === '-' ? writeAll(host.stdout, bytes) : writeFile(file, bytes)),
    });
    return await report(end, usedMode, { file, input, host });
  } catch (error) {
    throw new CommandError('The backup was not written', error);
  } finally {
    stopping.end();
  }
}

async function makeKey(file: string, input: Input, host: CommandHost): Promise<number> {
  const { identity, recipient } = await generateBackupKey();
  const text = `# public key: ${recipient}\n${identity}\n`;
  const isWritten = await writeFileOnce(file, text).catch((error: unknown) => {
    throw new CommandError('The key was not made', error);
  });
  if (!isWritten) throw new CommandError('The key was not made', `${file} already exists`);
  host.stderr.write(
    `The secret key is in ${file}. Move it to a safe place: without it, no backup can be\n` +
      'restored. Set LATCHKEY_BACKUP_RECIPIENT to the public key:\n',
  );
  // Only the public key is written to stdout, for scripts.
  if (wantsJson(input)) await writeJson(host, { recipient });
  else await write(host, `${recipient}\n`);
  return 0;
}

async function writeFile(file: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const name = path.basename(file);
  const folder = path.dirname(path.resolve(file));
  // Removes the files of killed backups. No other backup of this database runs.
  await removeTemporaries(folder, (one) => one === name);
  // The names of backups often contain the date, so `name` differs. Newer files may belong to a
  // running backup of another service.
  const ending = path.extname(name);
  await removeTemporaries(folder, (one) => ending !== '' && one.endsWith(ending), dayMs);
  await writeNewFile(path.resolve(file), bytes);
}

async function writeAll(output: Output, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  // A closed pipe also fails the write below.
  output.on?.('error', () => {});
  for await (const chunk of bytes) {
    await new Promise<void>((resolve, reject) => {
      output.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  }
}

type Report = { readonly file: string; readonly input: Input; readonly host: CommandHost };

async function report(
  end: BackupEnd,
  mode: BlobMode,
  { file, input, host }: Report,
): Promise<number> {
  const { documents, bytes, damaged } = end;
  const rows = Object.values(end.rows).reduce((sum, count) => sum + count, 0);
  const { stderr } = host;
  for (const id of damaged) stderr.write(`${id}: the content is missing or damaged\n`);
  stderr.write(
    `Backup written${file === '-' ? '' : ` to ${file}`}\n` +
      `Rows: ${rows}, documents: ${documents} (${bytes} bytes), damaged: ${damaged.length}\n` +
      (mode === 'content' ? '' : 'The content of the documents is only in the blob store.\n'),
  );
  if (wantsJson(input))
    await writeJson(host, { file, blobs: mode, rows, documents, bytes, damaged });
  return damaged.length > 0 ? damagedStatus : 0;
}
