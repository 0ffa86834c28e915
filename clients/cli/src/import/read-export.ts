// Reads the file of an export. It contains secrets, which no message repeats.
import { createReadStream } from 'node:fs';
import type { JsonValue } from '@bufbuild/protobuf';
import { CommandError, type CommandHost } from '../base/command.ts';
import { unreadable } from '../base/files.ts';
import { cleanText } from '../base/text.ts';
import { type ForeignClient, parsed, WrongExport } from './foreign-client.ts';

const bytesMax = 16 * 1024 * 1024;

/** `file` is `-` for the standard input. */
export async function readClients(
  read: (json: JsonValue) => ForeignClient[],
  file: string,
  host: CommandHost,
): Promise<ForeignClient[]> {
  const name = cleanText(file === '-' ? 'The standard input' : file);
  const json = parsed(await readText(file, name, host));
  if (json === undefined) throw new CommandError(`${name} is not JSON.`);
  try {
    return read(json);
  } catch (error) {
    if (error instanceof WrongExport) throw new CommandError(`${name} ${error.message}.`);
    throw error;
  }
}

async function readText(file: string, name: string, { stdin }: CommandHost): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of file === '-' ? stdin : createReadStream(file)) {
      size += chunk.length;
      if (size > bytesMax) throw new CommandError(`${name} is larger than 16 MiB.`);
      chunks.push(Buffer.from(chunk));
    }
  } catch (error) {
    throw error instanceof CommandError ? error : unreadable(name, error);
  }
  // Windows writes a byte order mark.
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\ufeff/, '');
}
