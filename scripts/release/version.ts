// One version in every file that names it, and an entry of the changelog.
import { type Finding, problem, type Result } from './finding.ts';
import { readLock, readManifest, readText, readWorkspaces } from './project.ts';

const chart = 'deploy/helm/latchkey/Chart.yaml';

export function checkVersion(root: string): Result {
  const { version = 'none' } = readManifest(root);
  const lock = readLock(root);
  const workspaces = readWorkspaces(root);
  const named: [string, string | undefined][] = [
    ['package-lock.json', lock.version],
    ['package-lock.json (packages)', lock.packages['']?.version],
    ...workspaces.flatMap(({ folder, manifest }): [string, string | undefined][] => [
      [`${folder}/package.json`, manifest.version],
      [`package-lock.json (${folder})`, lock.packages[folder]?.version],
    ]),
    ...['version', 'appVersion'].map((key): [string, string | undefined] => [
      `${chart} (${key})`,
      yamlValue(readText(root, chart) ?? '', key),
    ]),
  ];
  const findings = named
    .filter(([, found]) => found !== version)
    .map(([file, found]) =>
      problem(`${file} has ${found ?? 'no version'}. Set the version of package.json, ${version}`),
    );
  const places = `the lock file, the Helm chart and ${workspaces.length} client packages`;
  return { name: 'version', about: `${version} in package.json, ${places}`, findings };
}

function yamlValue(yaml: string, key: string): string | undefined {
  return new RegExp(`^${key}: *"?([^"\\s]+)"?`, 'm').exec(yaml)?.[1];
}

/** With `isRelease`, the newest heading must be the version. Otherwise it may be `Unreleased`. */
export function checkChangelog(root: string, isRelease: boolean): Result {
  const { version = 'none' } = readManifest(root);
  const sections = (readText(root, 'CHANGELOG.md') ?? '').split(/^(?=## )/m).slice(1);
  const [newest = ''] = sections;
  const [heading = ''] = newest.split('\n');
  const findings: Finding[] = [];
  const title = `## [${version}] - <date>`;
  const isUnreleased = /^## \[?unreleased/i.test(heading);
  if (!(isUnreleased && !isRelease)) {
    const date = heading.startsWith(`## [${version}] - `) ? heading.split(' - ')[1] : undefined;
    if (date === undefined) {
      findings.push(problem(`CHANGELOG.md begins with "${heading}". Begin it with "${title}"`));
    } else if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(Date.parse(date))) {
      findings.push(problem(`CHANGELOG.md has an invalid date: ${date}. Write YYYY-MM-DD`));
    }
  }
  if (!/^- \S/m.test(newest)) {
    findings.push(problem('CHANGELOG.md names no change in its newest section. Add the changes'));
  }
  if (isRelease && sections.slice(1).some((text) => /^## \[?unreleased/i.test(text))) {
    findings.push(problem('CHANGELOG.md has a second section "Unreleased". Merge the sections'));
  }
  return { name: 'changelog', about: heading.replace(/^## /, '') || 'CHANGELOG.md', findings };
}
