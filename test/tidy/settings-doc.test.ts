import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { settingsDoc } from '../../scripts/settings-doc.ts';
import { type Setting, settingGroups } from '../../src/base/config/setting.ts';
import { settings } from '../../src/base/config/settings.ts';
import { itHoldsFor } from '../support/rule.ts';

const file = path.resolve(import.meta.dirname, '../../docs/settings.md');
const all = Object.values<Setting>(settings);

test('docs/settings.md is up to date', () => {
  // If this fails, run `npm run generate`.
  expect(readFileSync(file, 'utf8')).toBe(settingsDoc());
});

test('docs/settings.md lists each setting once', () => {
  const rows = [...settingsDoc().matchAll(/^\| `(LATCHKEY_\w+)` (?:or `…_FILE` )?\|/gm)].map(
    ([, name]) => name,
  );
  expect(rows.sort()).toEqual(all.map(({ name }) => name).sort());
});

test('a name belongs to one setting, and each group has settings', () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  expect([...new Set(all.map(({ group }) => group))]).toEqual([...settingGroups]);
});

itHoldsFor(
  all.map((setting) => [setting.name, setting] as const),
  40,
)(
  'a setting has one sentence, a readable default, and a default in words if it is computed',
  (_name, { about, default: fixed, defaultOf, defaultText, type }) => {
    expect(about).toMatch(/^[A-Z].*\.$/);
    expect(about).not.toMatch(/\. [A-Z]/);
    if (fixed !== undefined) expect(type.read(fixed)).toBeDefined();
    if (defaultOf !== undefined) expect(defaultText).toBeDefined();
  },
);
