// Stores the secrets of new clients: in files, or on the standard output.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { CommandError, type CommandHost, UsageError } from '../base/command.ts';
import { replaceFile } from '../base/files.ts';
import { writeLine } from '../base/print.ts';
import type { Step } from './plan.ts';

/** A new secret could not be stored. Later ones would be lost as well, so the command stops. */
export class LostSecretError extends CommandError {}

export type KeepSecret = (externalId: string, clientId: string, secret: string) => Promise<void>;

/** `folder` is `-` for the standard output. Throws before any change if a secret would be lost. */
export async function openSecrets(
  folder: string | undefined,
  steps: readonly Step[],
  host: CommandHost,
): Promise<KeepSecret> {
  const count = steps.filter(
    ({ action, kind, declared }) =>
      action === 'create' &&
      kind.name === 'clients' &&
      declared?.imported?.fields.imported_secret === undefined,
  );
  if (folder === '-') return (...values) => writeLine(host, ...values);
  if (folder !== undefined && count.length > 0) {
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      throw new CommandError(`Cannot create the folder ${folder}`, error);
    });
  }
  if (folder === undefined && count.length > 0) {
    throw new UsageError(
      `New clients get a secret: add --secrets-dir <folder>, or --secrets-dir - to print them. ` +
        'Nothing was changed.',
    );
  }
  return async (externalId, clientId, secret) => {
    const name = encodeURIComponent(externalId);
    const short = name.length > 200 ? encodeURIComponent(clientId) : name;
    const file = path.join(folder ?? '', `client-${short}.secret`);
    await replaceFile(file, `${secret}\n`).catch((error: unknown) => {
      const what = `The client was created, but its secret is lost. Run: latchkey clients secrets`;
      throw new LostSecretError(`${what} rotate ${clientId}`, error);
    });
  };
}
