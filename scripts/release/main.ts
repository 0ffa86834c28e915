// Checks that the project can be released: npm run release:check -- [--release] [--sbom <file>]
import path from 'node:path';
import { parseArgs } from 'node:util';
import { checkBom, readBom } from './bom.ts';
import { exitStatusOf, reportOf } from './finding.ts';
import { checkLicences } from './licences.ts';
import { checkPackages } from './packages.ts';
import { checkChangelog, checkVersion } from './version.ts';
import { checkVulnerabilities } from './vulnerabilities.ts';

const { values } = parseArgs({
  options: { release: { type: 'boolean', default: false }, sbom: { type: 'string' } },
});
const root = path.resolve(import.meta.dirname, '../..');
const bom = await readBom(root);
const results = [
  checkVersion(root),
  checkChangelog(root, values.release),
  await checkPackages(root),
  checkBom(bom, values.sbom),
  checkLicences(root, bom),
  await checkVulnerabilities(root, new Date()),
];
console.log(results.map(reportOf).join('\n'));
process.exitCode = exitStatusOf(results);
if (process.exitCode === 2) console.log('A check could not run. It does not count as passed.');
