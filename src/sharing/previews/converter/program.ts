// Runs LibreOffice once, in a separate folder that it removes at the end, even if the service is
// killed: the channel to the service closes then. LibreOffice is killed with all its processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { type FolderSize, measureFolder, waitUntilLarger } from './folder-size.ts';
import type { ConversionAnswer, ConversionOrder, ProgramSettings } from './messages.ts';
import {
  extensionArguments,
  extensionFolders,
  officeFoldersIn,
  profileSettings,
  urlOf,
} from './profile.ts';
import { sandboxed, visibleFolder } from './sandbox.ts';

const settings: ProgramSettings = JSON.parse(process.argv[2] ?? '');
const folder = await mkdtemp(path.join(tmpdir(), process.argv[3] ?? ''));
const visible = visibleFolder(settings, folder);
const name = randomUUID();
const folders = officeFoldersIn(folder, name);
const { work, own } = folders;
const shown = officeFoldersIn(visible, name);
const profile = urlOf(path.join(visible, 'profile'));
let office: ChildProcess | undefined;
let isEnding = false;

for (const event of ['disconnect', 'SIGTERM', 'SIGINT', 'SIGHUP']) process.on(event, end);
process.on('message', (message: ConversionOrder) => convert(message.fileName).then(send, end));
// The service may have ended before the listener was added.
if (process.connected) await prepare().catch(end);
else await end();

async function prepare(): Promise<void> {
  const user = path.join(folder, 'profile/user');
  const others = [path.join(work, 'out'), path.join(own, 'tmp'), ...extensionFolders(folders)];
  for (const created of [user, ...others]) {
    await mkdir(created, { recursive: true });
  }
  await writeFile(path.join(user, 'registrymodifications.xcu'), profileSettings(shown));
  send({ kind: 'ready', folder: work });
}

function send(message: ConversionAnswer): void {
  if (process.connected) process.send?.(message);
}

async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  killOffice();
  await rm(pipeOf(profile), { force: true });
  // A process that is being killed may still write files.
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  process.exit();
}

/** The socket of LibreOffice, which it does not remove if it is killed (officeipcthread.cxx). */
function pipeOf(url: string): string {
  const digest = createHash('md5').update(Buffer.from(url, 'utf16le')).digest();
  const id = Array.from(digest, (byte) => byte.toString(16)).join('');
  return `/tmp/OSL_PIPE_${process.getuid?.()}_SingleOfficeIPC_${id}`;
}

function killOffice(): void {
  if (office?.pid === undefined) return;
  try {
    process.kill(-office.pid, 'SIGKILL');
  } catch {
    // All its processes have ended.
  }
}

type Exit = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly isLate: boolean;
  readonly hasLargeFolder: boolean;
};

async function convert(fileName: string): Promise<ConversionAnswer> {
  const { temporaryFiles, temporaryBytes } = settings.limits;
  // The document and the profile do not count.
  const { files, bytes } = await measureFolder(folder);
  if (!Number.isFinite(bytes)) return { kind: 'unavailable' };
  const limit = { files: files + temporaryFiles, bytes: bytes + temporaryBytes };
  const exit = await runOffice(path.join(shown.work, fileName), limit);
  if (exit === undefined) return { kind: 'unavailable' };
  const pdf = path.join(work, 'out', `${path.parse(fileName).name}.pdf`);
  const sizeBytes = await sizeOfPdf(pdf);
  const { previewBytes } = settings.limits;
  if (exit.hasLargeFolder) return { kind: 'failed', error: 'too_many_files' };
  if (exit.isLate || hasHit(exit, 'SIGXCPU')) return { kind: 'failed', error: 'too_slow' };
  if (hasHit(exit, 'SIGXFSZ') || (sizeBytes ?? 0) > previewBytes) {
    return { kind: 'failed', error: 'too_large' };
  }
  if (sizeBytes !== undefined && exit.code === 0)
    return { kind: 'converted', file: pdf, sizeBytes };
  if (isStartFailure(exit)) return { kind: 'unavailable' };
  const hasCrashed = exit.code === null || exit.code > 1;
  return { kind: 'failed', error: hasCrashed ? 'crashed' : 'unreadable' };
}

/** Returns undefined if the command does not start. */
function runOffice(file: string, limit: FolderSize): Promise<Exit | undefined> {
  const [command, args] = sandboxed(settings, folder, [
    ...[settings.command, `-env:UserInstallation=${profile}`, ...extensionArguments(shown)],
    ...['--headless', '--norestore'],
    ...['--convert-to', 'pdf', '--outdir', path.join(shown.work, 'out'), file],
  ]);
  const tmp = path.join(shown.own, 'tmp');
  const started = spawn(command, args, {
    cwd: folder,
    // A group, which is killed as a whole.
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, HOME: tmp, TMPDIR: tmp, LANG: 'C.UTF-8' },
  });
  office = started;
  return new Promise((resolve) => {
    let isLate = false;
    let hasLargeFolder = false;
    const measuring = new AbortController();
    void waitUntilLarger(folder, limit, measuring.signal).then((isLarger) => {
      hasLargeFolder = isLarger;
      if (isLarger) killOffice();
    });
    const timer = setTimeout(() => {
      isLate = true;
      killOffice();
    }, settings.limits.seconds * 1000);
    const stopWatching = () => {
      clearTimeout(timer);
      measuring.abort();
    };
    started.on('error', () => {
      stopWatching();
      resolve(undefined);
    });
    started.on('exit', (code, signal) => {
      stopWatching();
      // Processes of the group may remain.
      killOffice();
      resolve({ code, signal, isLate, hasLargeFolder });
    });
  });
}

/** The statuses of a shell that does not start a command, and of `mountScript`. */
const isStartFailure = ({ code }: Exit) => code !== null && code >= 125 && code <= 127;

/** Whether a limit of `ulimit` ended LibreOffice: by the signal, or as a shell reports it. */
const hasHit = ({ code, signal }: Exit, limit: 'SIGXCPU' | 'SIGXFSZ') =>
  signal === limit || code === 128 + constants.signals[limit];

async function sizeOfPdf(file: string): Promise<number | undefined> {
  try {
    // LibreOffice may have been taken over, and the service must not follow a link to another file.
    const facts = await lstat(file);
    if (!facts.isFile() || facts.nlink !== 1) return undefined;
    const handle = await open(file);
    try {
      const { buffer } = await handle.read(Buffer.alloc(5), 0, 5, 0);
      return buffer.toString('latin1') === '%PDF-' ? facts.size : undefined;
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}
