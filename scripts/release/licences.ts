// The licences of the packages in the bill of materials.
import type { Bom, Component } from './bom.ts';
import { type Finding, problem, type Result } from './finding.ts';
import { readText } from './project.ts';

/** Licences without conditions on the code of the service. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
]);

/** A phrase of the text of each licence. The first one that fits counts. */
const phrases: readonly (readonly [string, RegExp])[] = [
  ['MIT', /Permission is hereby granted, free of charge/],
  ['BSD-3-Clause', /Redistribution and use in source and binary forms[\s\S]*endorse or promote/],
  ['BSD-2-Clause', /Redistribution and use in source and binary forms/],
];

export function checkLicences(root: string, bom: Bom | string): Result {
  const name = 'licences';
  if (typeof bom === 'string') {
    const findings = [problem('not checked, because there is no SBOM. Fix the SBOM first')];
    return { name, about: 'of the packages in the SBOM', findings };
  }
  const found = new Set<string>();
  const findings: Finding[] = [];
  for (const one of bom.components) {
    const licence = licenceOf(root, one);
    found.add(licence ?? '');
    if (licence !== undefined && isAllowed(licence)) continue;
    const text = `${one['bom-ref']} has ${licence ?? 'no licence'}`;
    findings.push(
      problem(`${text}. Replace it, or add the licence to scripts/release/licences.ts`),
    );
  }
  const about = `${bom.components.length} packages: ${[...found].sort().join(', ')}`;
  return { name, about, findings };
}

function licenceOf(root: string, { name, licenses = [] }: Component): string | undefined {
  const named = licenses.map((one) => one.expression ?? one.license?.id ?? one.license?.name ?? '');
  if (named.length > 0) return named.join(' AND ');
  // Old packages have only the file.
  const files = ['LICENSE', 'LICENSE.md', 'LICENSE.txt'];
  const text = files.map((file) => readText(root, `node_modules/${name}/${file}`) ?? '').join('\n');
  return phrases.find(([, phrase]) => phrase.test(text))?.[0];
}

/** Reads an SPDX expression. AND binds closer than OR. A nested expression is not allowed. */
function isAllowed(expression: string): boolean {
  const inner = /^\(([^()]*)\)$/.exec(expression)?.[1] ?? expression;
  return inner
    .split(/ OR /i)
    .some((option) => option.split(/ AND /i).every((id) => allowed.has(id.trim())));
}
