// Finds LibreOffice when the service starts.
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../../base/config/config.ts';

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
