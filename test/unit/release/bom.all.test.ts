import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Bom, checkBom, readBom } from '../../../scripts/release/bom.ts';
import { checkLicences } from '../../../scripts/release/licences.ts';
import { newReleaseProject } from './release-project.ts';

async function bomOf(root: string): Promise<Bom> {
  const bom = await readBom(root);
  if (typeof bom === 'string') throw new Error(bom);
  return bom;
}

test('the SBOM lists the packages that users run, and not the tools', async () => {
  const { root } = await newReleaseProject();
  const bom = await bomOf(root);
  expect(bom.metadata.component.name).toBe('latchkey');
  expect(bom.components.map((one) => one['bom-ref']).sort()).toEqual([
    '@latchkey/client@1.2.0',
    'bundled@1.0.0',
    'copied@1.0.0',
    'indirect@3.0.0',
    'loaded@1.0.0',
    'loaded@2.0.0',
  ]);
  const file = path.join(root, 'sbom.json');
  expect(checkBom(bom, file).findings).toEqual([]);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(bom);
  expect(checkLicences(root, bom).findings).toEqual([]);
});

test('a lock file from which npm writes no SBOM is a problem', async () => {
  const project = await newReleaseProject();
  await project.replace('package-lock.json', /"node_modules\/loaded":\{.*?\}\},/, '');
  const bom = await readBom(project.root);
  expect(bom).toContain('missing: loaded@1.0.0');
  expect(checkBom(bom).findings).toMatchObject([{ level: 'problem' }]);
  expect(checkLicences(project.root, bom).findings).toMatchObject([{ level: 'problem' }]);
});

test('a defect of the SBOM is a problem', async () => {
  const { root } = await newReleaseProject();
  const bom = await bomOf(root);
  const [first, ...others] = bom.components;
  if (first === undefined) throw new Error('the SBOM is empty');
  const faultsOf = (changes: Partial<Bom>) =>
    checkBom({ ...bom, ...changes }).findings.map(({ text }) => text.replace(/\. .*$/, ''));
  expect(faultsOf({ bomFormat: 'SPDX' })).toEqual(['bomFormat is not CycloneDX']);
  expect(faultsOf({ serialNumber: '1' })).toEqual(['serialNumber is not a UUID']);
  expect(faultsOf({ components: [first, first, ...others] })).toEqual([
    'two packages have the same bom-ref',
  ]);
  expect(faultsOf({ components: [{ ...first, purl: 'loaded' }, ...others] })).toEqual([
    'an invalid purl: loaded',
  ]);
  expect(faultsOf({ components: others })).toContain(
    `${first['bom-ref']} refers to missing ${first['bom-ref']}`,
  );
});

test('a licence that is not on the list is a problem', async () => {
  const project = await newReleaseProject();
  await project.replace('package-lock.json', '"license":"ISC"', '"license":"GPL-3.0-only"');
  await project.replace('package-lock.json', 'MPL-2.0 OR Apache', 'MPL-2.0 AND Apache');
  await project.remove('node_modules/copied/LICENSE');
  const { findings } = checkLicences(project.root, await bomOf(project.root));
  expect(findings.map(({ text }) => text.replace(/\. .*$/, ''))).toEqual([
    'bundled@1.0.0 has (MPL-2.0 AND Apache-2.0)',
    'copied@1.0.0 has no licence',
    'indirect@3.0.0 has GPL-3.0-only',
  ]);
});

test('the text of a licence counts if package.json names none', async () => {
  const project = await newReleaseProject();
  const file = 'node_modules/copied/LICENSE';
  const bsd = 'Redistribution and use in source and binary forms, with or without modification';
  await project.replace(file, /[\s\S]*/, bsd);
  const bom = await bomOf(project.root);
  expect(checkLicences(project.root, bom)).toMatchObject({
    about: expect.stringContaining('BSD-2-Clause'),
    findings: [],
  });
  await project.replace(
    file,
    /$/,
    '\nThe name of the author may not be used to endorse or promote.',
  );
  expect(checkLicences(project.root, bom)).toMatchObject({
    about: expect.stringContaining('BSD-3-Clause'),
    findings: [],
  });
});
