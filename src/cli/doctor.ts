// `doctor`: checks an installation, or all stored documents.
import { readConfig } from '../config/config.ts';
import { checkBlobs } from './check-blobs.ts';
import { type Command, CommandError, type CommandHost, requireNoArguments } from './command.ts';
import { formatFinding, runDoctor } from './installation-checks.ts';

export const doctorCommand: Command = {
  usage: '[--blobs]',
  about: 'checks the installation, or with --blobs all stored documents; changes nothing',
  details: `It prints one line per check: "ok", "warning" or "problem", and the remedy. It may run
while the service runs. With an S3 store, it writes and removes one object.

  --blobs  reads the content of every document and compares its size and SHA-256 with the database

Exit status: 0 no problem, 1 a problem, an invalid setting or a damaged document, 2 wrong arguments.
With --blobs, an invalid setting exits with 2.`,
  async run(words, host) {
    if (words.length === 1 && words[0] === '--blobs') return checkDocuments(host);
    requireNoArguments(words);
    const findings = await runDoctor({ env: host.env, now: Date.now });
    host.stdout.write(findings.map(formatFinding).join(''));
    return findings.some(({ level }) => level === 'problem') ? 1 : 0;
  },
};

async function checkDocuments({ env, stdout }: CommandHost): Promise<number> {
  const config = readConfig(env);
  try {
    const { damaged } = await checkBlobs(config, (line) => stdout.write(`${line}\n`));
    return damaged.length > 0 ? 1 : 0;
  } catch (error) {
    throw new CommandError('The documents were not checked', error);
  }
}
