// Converts one file to PDF in a separate program, which ends with the conversion.
import { type ChildProcess, fork } from 'node:child_process';
import { constants, createWriteStream } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readPart } from '../../../base/files/read-part.ts';
import type { ConversionError } from './conversion-errors.ts';
import type { ConversionAnswer, ProgramSettings } from './messages.ts';
import { canIsolate } from './sandbox.ts';

export type OfficeFile = {
  /** Selects the filter of LibreOffice. */
  readonly extension: string;
  bytes(): AsyncIterable<Uint8Array>;
};

/** A PDF in the temporary folder of its conversion. */
export type ConvertedPdf = {
  readonly sizeBytes: number;
  read(offset: number, length: number): AsyncIterable<Uint8Array>;
};

export type Converter = {
  /**
   * Calls `work` with the PDF, whose folder is removed afterwards. Returns an error of the file.
   * Throws if LibreOffice does not start, or the signal is aborted.
   */
  convert(
    file: OfficeFile,
    signal: AbortSignal,
    work: (pdf: ConvertedPdf) => Promise<void>,
  ): Promise<ConversionError | undefined>;
};

export class OfficeUnavailable extends Error {}

const folderPrefix = 'latchkey-office-';

/** The environment of the service contains secrets. */
const environment = () => ({ PATH: process.env.PATH, TMPDIR: tmpdir() });

export type ConverterOptions = {
  readonly program: string;
  readonly settings: Omit<ProgramSettings, 'isIsolated'>;
  readonly warn: (facts: object, message: string) => void;
};

export function createConverter({ program, settings: given, warn }: ConverterOptions): Converter {
  let isolation: Promise<boolean> | undefined;

  async function checkIsolation(): Promise<boolean> {
    const isIsolated = await canIsolate(given);
    if (!isIsolated) warn({}, 'LibreOffice runs without namespaces, which the system refuses');
    return isIsolated;
  }

  function isIsolated(): Promise<boolean> {
    isolation ??= checkIsolation().catch(() => {
      isolation = undefined;
      throw new OfficeUnavailable('the system is too slow to start LibreOffice');
    });
    return isolation;
  }

  return {
    async convert({ extension, bytes }, signal, work) {
      const settings = { ...given, isIsolated: await isIsolated() };
      signal.throwIfAborted();
      const child = fork(program, [JSON.stringify(settings), folderPrefix], {
        env: environment(),
        execArgv: ['--disallow-code-generation-from-strings'],
        // An interrupt from the terminal reaches the service alone.
        detached: true,
        stdio: 'ignore',
      });
      const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
      const stop = () => child.connected && child.disconnect();
      signal.addEventListener('abort', stop, { once: true });
      try {
        const ready = await nextMessage(child);
        if (ready.kind !== 'ready') throw new Error('the conversion program failed');
        const fileName = `document.${extension}`;
        const target = createWriteStream(path.join(ready.folder, fileName), { flags: 'wx' });
        await pipeline(bytes(), target, { signal });
        child.send({ kind: 'convert', fileName });
        const answer = await nextMessage(child);
        if (answer.kind === 'failed') return answer.error;
        if (answer.kind !== 'converted') throw new OfficeUnavailable('LibreOffice does not start');
        await withPdf(answer, work);
        return undefined;
      } finally {
        signal.removeEventListener('abort', stop);
        stop();
        await ended;
      }
    },
  };
}

/** LibreOffice may have been taken over, and the service must not follow a link to another file. */
async function withPdf(
  { file, sizeBytes }: Extract<ConversionAnswer, { kind: 'converted' }>,
  work: (pdf: ConvertedPdf) => Promise<void>,
): Promise<void> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    await work({ sizeBytes, read: (offset, length) => readPart(handle, offset, length) });
  } finally {
    await handle.close();
  }
}

function nextMessage(child: ChildProcess): Promise<ConversionAnswer> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error('the conversion program ended'));
    if (!child.connected) fail();
    child.once('message', resolve).once('exit', fail).once('error', fail);
  });
}

/** A conversion ends long before. */
const abandonedMs = 3_600_000;

/** Removes the folders of conversions that were killed together with the service. */
export async function removeAbandonedFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(folderPrefix)) continue;
    const folder = path.join(tmpdir(), name);
    const age = await stat(folder).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > abandonedMs) await rm(folder, { recursive: true, force: true });
  }
}
