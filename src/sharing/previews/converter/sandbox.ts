// How LibreOffice is started: with limits of the kernel, and where the system allows it in
// namespaces without a network, without other processes, and without the folders of the service.
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import type { ProgramSettings } from './messages.ts';

type Command = readonly [file: string, args: string[]];

/** `ulimit` counts in these units (POSIX, XSI). */
const kibibyte = 1024;
const block = 512;

/** LibreOffice writes temporary files, too, and a PDF that is too large must be recognized. */
const fileBytesOf = (previewBytes: number) => 2 * previewBytes;

function limitScript({ limits }: Pick<ProgramSettings, 'limits'>): string {
  const values = [
    '-c 0',
    `-t ${limits.seconds}`,
    `-d ${Math.ceil(limits.memoryBytes / kibibyte)}`,
    `-f ${Math.ceil(fileBytesOf(limits.previewBytes) / block)}`,
  ];
  return `${values.map((value) => `ulimit ${value} || exit 126`).join('; ')}; exec "$@"`;
}

/** Where the folder of a conversion is within the namespaces, which hides all other such files. */
const isolatedFolder = '/tmp';

/** The path by which LibreOffice finds the folder of its conversion. */
export const visibleFolder = (
  { isIsolated }: Pick<ProgramSettings, 'isIsolated'>,
  folder: string,
) => (isIsolated ? isolatedFolder : folder);

/** Mounts the first folder, and an empty folder over each of those before `--`. */
const mountScript = `mount --bind "$1" ${isolatedFolder} && cd ${isolatedFolder} || exit 125
shift
mount -t proc proc /proc 2>/dev/null
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mount -t tmpfs -o ro,size=4k none "$1" || exit 125; fi
  shift
done
shift
exec "$@"`;

const namespaces = ['--user', '--map-root-user', '--net', '--pid', '--mount', '--fork'];

/** Returns the command line that runs a command with the limits, for files in the folder. */
export function sandboxed(
  settings: Pick<ProgramSettings, 'isIsolated' | 'hidden' | 'limits'>,
  folder: string,
  command: readonly string[],
): Command {
  const limited = ['-c', limitScript(settings), 'sh', ...command];
  if (!settings.isIsolated) return ['sh', limited];
  const mounting = ['sh', '-c', mountScript, 'sh', folder, ...settings.hidden, '--'];
  return ['unshare', [...namespaces, '--kill-child', '--', ...mounting, 'sh', ...limited]];
}

const probeMs = 30_000;

/** Returns whether the system allows the namespaces. Throws if the check takes too long. */
export async function canIsolate(
  settings: Pick<ProgramSettings, 'hidden' | 'limits'>,
): Promise<boolean> {
  const [file, args] = sandboxed({ ...settings, isIsolated: true }, tmpdir(), ['true']);
  try {
    await promisify(execFile)(file, args, { timeout: probeMs, killSignal: 'SIGKILL' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'killed' in error && error.killed === true) throw error;
    return false;
  }
}
