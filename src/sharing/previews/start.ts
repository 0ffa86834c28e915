// Starts the conversion of Office files, if LibreOffice is installed.
import path from 'node:path';
import type { Config } from '../../base/config/config.ts';
import type { PeriodicTask } from '../../storage/periodic-task.ts';
import { type ConversionsOptions, startConversions } from './conversions.ts';
import { conversionLimits } from './converter/conversion-errors.ts';
import { createConverter } from './converter/converter.ts';
import { findOffice } from './find-office.ts';

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
