// `doctor`: checks an installation, or all stored documents.

import { CommandError, type CommandHost, type Input } from '../../clients/cli/src/base/command.ts';
import { wantsJson, writeJson } from '../../clients/cli/src/base/print.ts';
import { readConfig } from '../base/config/config.ts';
import { type BlobReport, checkBlobs } from './check-blobs.ts';
import { formatFinding, runDoctor } from './installation-checks.ts';

export async function runDoctorCommand(input: Input, host: CommandHost): Promise<number> {
  if (input.options.blobs === true) return checkDocuments(input, host);
  const findings = await runDoctor({ env: host.env, now: Date.now });
  if (wantsJson(input)) await writeJson(host, findings);
  else host.stdout.write(findings.map(formatFinding).join(''));
  return findings.some(({ level }) => level === 'problem') ? 1 : 0;
}

async function checkDocuments(input: Input, host: CommandHost): Promise<number> {
  const config = readConfig(host.env);
  const print = (line: string) => {
    if (!wantsJson(input)) host.stdout.write(`${line}\n`);
  };
  try {
    const { checked, damaged } = await checkBlobs(config, print);
    if (wantsJson(input)) await writeJson(host, { checked, damaged: damaged.map(shownDamage) });
    return damaged.length > 0 ? 1 : 0;
  } catch (error) {
    throw new CommandError('The documents were not checked', error);
  }
}

const shownDamage = ({ documentId, version, damage }: BlobReport['damaged'][number]) => ({
  document_id: documentId,
  version,
  damage,
});
