import { expect, test } from 'vitest';
import { exitStatusOf, reportOf } from '../../../scripts/release/finding.ts';
import { checkChangelog, checkVersion } from '../../../scripts/release/version.ts';
import { itHoldsFor } from '../../support/rule.ts';
import { newReleaseProject } from './release-project.ts';

const textsOf = (result: { findings: readonly { text: string }[] }) =>
  result.findings.map(({ text }) => text);

test('a project with one version and its changes passes', async () => {
  const { root } = await newReleaseProject();
  expect(textsOf(checkVersion(root))).toEqual([]);
  expect(textsOf(checkChangelog(root, true))).toEqual([]);
});

itHoldsFor([
  ['package-lock.json', '"version":"1.2.0"', '"version":"1.1.0"', 'package-lock.json has 1.1.0'],
  ['deploy/helm/latchkey/Chart.yaml', 'appVersion: "1.2.0"', '', '(appVersion) has no version'],
  ['clients/client/package.json', '1.2.0', '1.1.0', 'clients/client/package.json has 1.1.0'],
])('another version in a file is a problem', async (file, from, to, expected) => {
  const project = await newReleaseProject();
  await project.replace(file, from, to);
  expect(textsOf(checkVersion(project.root))).toEqual([expect.stringContaining(expected)]);
});

itHoldsFor([
  ['of another version', '[1.2.0]', '[1.3.0]', 'begins with "## [1.3.0] - 2026-11-23"'],
  ['without changes', '- A change.', '', 'names no change'],
  ['with an invalid date', '2026-11-23', '2026-11-33', 'invalid date: 2026-11-33'],
])('a wrong newest section is a problem', async (_, from, to, expected) => {
  const project = await newReleaseProject();
  await project.replace('CHANGELOG.md', from, to);
  const findings = textsOf(checkChangelog(project.root, false));
  expect(findings).toEqual([expect.stringContaining(expected)]);
});

test('unreleased changes are a problem only for a release', async () => {
  const project = await newReleaseProject();
  await project.replace('CHANGELOG.md', '[1.2.0] - 2026-11-23', '[Unreleased]');
  expect(textsOf(checkChangelog(project.root, false))).toEqual([]);
  expect(textsOf(checkChangelog(project.root, true))).toEqual([
    expect.stringContaining('Begin it with "## [1.2.0] - <date>"'),
  ]);
  const older = await newReleaseProject();
  await older.replace('CHANGELOG.md', '[1.1.0] - 2026-10-01', '[Unreleased]');
  expect(textsOf(checkChangelog(older.root, true))).toEqual([
    expect.stringContaining('second section "Unreleased"'),
  ]);
});

test('a check that could not run does not count as passed', () => {
  const withLevels = (...levels: ('problem' | 'unknown' | 'warning')[]) => ({
    name: 'a check',
    about: 'its subject',
    findings: levels.map((level) => ({ level, text: 'do something' })),
  });
  expect(exitStatusOf([withLevels(), withLevels('warning')])).toBe(0);
  expect(exitStatusOf([withLevels('unknown', 'warning'), withLevels()])).toBe(2);
  expect(exitStatusOf([withLevels('unknown'), withLevels('problem')])).toBe(1);
  expect(reportOf(withLevels('unknown'))).toMatch(/^unknown +a check +its subject\n +unknown: do/);
});
