// Writes docs/settings.md from the table of settings in src/base/config/settings.ts.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Setting, settingGroups } from '../src/base/config/setting.ts';
import { settings } from '../src/base/config/settings.ts';

const intro = `# Settings

<!-- Generated from src/base/config/settings.ts by scripts/settings-doc.ts: npm run generate. -->

All settings are environment variables, and all are optional. An empty value counts as not set.

The service starts only if every value is valid. Otherwise it lists every invalid setting, without
its value, and exits with status 2. A name that starts with \`LATCHKEY_\` and is not in these tables
is an error, as it is probably misspelled. The service ignores the variables of the
[command line](cli.md#call-a-running-server), such as \`LATCHKEY_API_KEY\`.

A setting with \`…_FILE\` contains a secret. Instead of \`<NAME>\`, you can set \`<NAME>_FILE\`
to the path of a file with the value. The service reads the file at its start and ignores one line
break at its end.
`;

export function settingsDoc(): string {
  return [intro, ...settingGroups.map(writeGroup)].join('\n');
}

function writeGroup(group: string): string {
  const rows = Object.values<Setting>(settings)
    .filter((setting) => setting.group === group)
    .map((setting) => `| ${namesOf(setting)} | ${columnsOf(setting).join(' | ')} |\n`);
  return `## ${group}\n\n| setting | value | default | |\n|---|---|---|---|\n${rows.join('')}`;
}

const namesOf = ({ name, isSecret }: Setting) => `\`${name}\`${isSecret ? ' or `…_FILE`' : ''}`;

function columnsOf(setting: Setting): string[] {
  const { type, about, notes } = setting;
  const value = type.expected.replace(/^(an?|one of) /, '');
  return [value, defaultTextOf(setting), notes === undefined ? about : `${about} ${notes}`];
}

function defaultTextOf({ default: fixed, defaultText }: Setting): string {
  return defaultText ?? (fixed === undefined ? 'none' : `\`${fixed}\``);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(path.resolve(import.meta.dirname, '../docs/settings.md'), settingsDoc());
}
