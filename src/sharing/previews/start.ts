// Starts the conversion of Office files, if LibreOffice is installed.

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { type Config, ConfigError } from '../../base/config/config.ts';
import type { PeriodicTask } from '../../storage/upkeep/periodic-task.ts';
import { type ConversionsOptions, startConversions } from './conversions.ts';
import { conversionLimits } from './converter/conversion-errors.ts';
import { createConverter } from './converter/converter.ts';

type StartOptions = Omit<ConversionsOptions, 'converter' | 'observe' | 'observeQueue'> & {
  readonly config: Pick<Config, 'officeCommand' | 'dataDir' | 'blobs'>;
  readonly program: string;
  readonly observer: {
    readonly attempt: ConversionsOptions['observe'];
    readonly queue: ConversionsOptions['observeQueue'];
  };
};

/** Returns no tasks without LibreOffice. Throws if the setting names a command that is missing. */
export async function startPreviews(options: StartOptions): Promise<readonly PeriodicTask[]> {
  const { config, program, observer, warn } = options;
  const command = await findOffice(config.officeCommand);
  if (command === undefined) return [];
  const folders = [config.dataDir, ...(config.blobs.kind === 'folder' ? [config.blobs.path] : [])];
  const converter = createConverter({
    program,
    settings: {
      command,
      hidden: folders.map((folder) => path.resolve(folder)),
      limits: conversionLimits,
    },
    warn,
  });
  return startConversions({
    ...options,
    converter,
    observe: observer.attempt,
    observeQueue: observer.queue,
  });
}

/**
 * Returns the path of the command that the setting names; without the setting, that of `soffice`
 * if it is installed. An empty setting turns previews off. Throws if the named command is missing.
 */
export async function findOffice(setting: string | undefined): Promise<string | undefined> {
  if (setting === '') return undefined;
  const found = await findCommand(setting ?? 'soffice');
  if (found === undefined && setting !== undefined) {
    throw new ConfigError(['LATCHKEY_OFFICE_COMMAND: is not an executable file or command']);
  }
  return found;
}

async function findCommand(command: string): Promise<string | undefined> {
  const folders = command.includes('/') ? [''] : (process.env.PATH ?? '').split(path.delimiter);
  for (const folder of folders) {
    const file = path.resolve(folder, command);
    const isExecutable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return file;
  }
  return undefined;
}
