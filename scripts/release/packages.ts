// The files that npm would pack: the build of the service, and the client packages.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { type Finding, problem, type Result } from './finding.ts';
import { type Manifest, npm, readManifest, readWorkspaces } from './project.ts';

const unwanted: readonly (readonly [string, RegExp])[] = [
  ['a test', /(^|\/)(tests?|__tests__|coverage)\/|\.(test|spec)\.[cm]?[jt]sx?$/],
  ['data', /(^|\/)data\/|\.(db|sqlite3?|log|tgz|backup|age)$/],
  ['a secret', /(^|\/)(\.env(\..*)?|\.npmrc|\.netrc|id_[a-z0-9]+|.*\.(pem|key|p12|pfx))$/],
  ['an installed package', /(^|\/)node_modules\//],
];

const secrets: readonly (readonly [string, RegExp])[] = [
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----\s*[A-Za-z0-9+/]{32}/],
  ['an AWS access key', /\bAKIA[A-Z0-9]{16}\b/],
  ['a GitHub token', /\bgh[pousr]_[A-Za-z0-9]{36}/],
  ['an npm token', /\bnpm_[A-Za-z0-9]{36}\b/],
];

/** The root package is private. Its packed files are those of the image. */
export async function checkPackages(root: string): Promise<Result> {
  const all = [{ folder: '.', manifest: readManifest(root) }, ...readWorkspaces(root)];
  const checked = await Promise.all(
    all.map(async ({ folder, manifest }) => {
      const files = await packedFiles(root, folder);
      if (files === undefined) {
        return {
          about: manifest.name,
          findings: [problem(`npm pack fails in ${folder}`)],
        };
      }
      const kind = manifest.private ? 'private, ' : '';
      const about = `${manifest.name} (${kind}${files.length} files)`;
      const findings = judgeFiles(path.join(root, folder), files, manifest);
      return { about, findings: findings.map((one) => inPackage(manifest.name, one)) };
    }),
  );
  return {
    name: 'packages',
    about: checked.map(({ about }) => about).join(', '),
    findings: checked.flatMap(({ findings }) => findings),
  };
}

const inPackage = (name: string, { level, text }: Finding): Finding => ({
  level,
  text: `${name}: ${text}`,
});

async function packedFiles(root: string, folder: string): Promise<string[] | undefined> {
  const where = path.join(root, folder);
  const { status, stdout } = await npm(where, 'pack', '--dry-run', '--json', '--ignore-scripts');
  if (status !== 0) return undefined;
  const [packed]: { files: { path: string }[] }[] = JSON.parse(stdout);
  return packed?.files.map((file) => file.path).sort();
}

function judgeFiles(folder: string, files: readonly string[], manifest: Manifest): Finding[] {
  const findings = files.flatMap((file) => judgeFile(folder, file));
  const missing = entryPoints(manifest).filter((file) => !files.includes(file));
  for (const file of missing) {
    findings.push(problem(`${file} is named in package.json but not packed. Run npm run build`));
  }
  for (const file of ['README.md', 'LICENSE']) {
    if (!files.includes(file)) findings.push(problem(`${file} is missing. Add it`));
  }
  return findings;
}

function judgeFile(folder: string, file: string): Finding[] {
  const findings = unwanted
    .filter(([, pattern]) => pattern.test(file))
    .map(([what]) => problem(`${file} is ${what}. Exclude it with "files" in package.json`));
  const text = readFileSync(path.join(folder, file), 'latin1');
  for (const [what, pattern] of secrets) {
    if (pattern.test(text)) findings.push(problem(`${file} contains ${what}. Remove it`));
  }
  const names = [path.resolve(folder), homedir()].filter((name) => name.length > 1);
  if (names.some((name) => text.includes(`${name}/`))) {
    findings.push(problem(`${file} names a folder of this machine. Change the build`));
  }
  if (file.endsWith('.map')) findings.push(...judgeMap(file, text));
  return findings;
}

/** A source map must name the sources by relative paths. */
function judgeMap(file: string, text: string): Finding[] {
  const { sources = [], sourceRoot = '' }: { sources?: string[]; sourceRoot?: string } =
    JSON.parse(text);
  const absolute = [sourceRoot, ...sources].find((name) => /^(\/|file:|[A-Za-z]:\\)/.test(name));
  if (absolute === undefined) return [];
  return [problem(`${file} has the absolute path ${absolute}. Change the build`)];
}

/** The files that `main`, `bin` and `exports` name, as `npm pack` names them. */
function entryPoints({ main, bin, exports: exported }: Manifest): string[] {
  const names = [main, ...stringsIn(bin), ...stringsIn(exported)];
  return [
    ...new Set(names.filter((name) => name !== undefined).map((name) => path.normalize(name))),
  ];
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
