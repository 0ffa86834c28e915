// The software bill of materials: a CycloneDX document that npm writes from the lock file.
import { writeFileSync } from 'node:fs';
import { type Finding, problem, type Result } from './finding.ts';
import { npm, readManifest } from './project.ts';
import { keepShipped } from './shipped.ts';

type License = { readonly license?: { id?: string; name?: string }; readonly expression?: string };

export type Component = {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly License[];
};

export type Bom = {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly serialNumber: string;
  readonly version: number;
  readonly metadata: { readonly timestamp: string; readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: string[] }[];
};

/** Returns the error of npm if it writes no document. */
export async function readBom(root: string): Promise<Bom | string> {
  const words = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const { status, stdout, stderr } = await npm(root, 'sbom', '--package-lock-only', ...words);
  if (status !== 0) return /^npm error (?!code)(.+)/m.exec(stderr)?.[1] ?? 'npm sbom failed';
  const bom: Bom = JSON.parse(stdout);
  // npm writes the name of the folder.
  const component = { ...bom.metadata.component, name: readManifest(root).name };
  return keepShipped(root, { ...bom, metadata: { ...bom.metadata, component } });
}

/** Writes the document to `file`, if it is given. */
export function checkBom(bom: Bom | string, file?: string): Result {
  const name = 'SBOM';
  if (typeof bom === 'string') {
    return { name, about: 'CycloneDX', findings: [problem(`${bom}. Run npm sbom`)] };
  }
  const findings = judgeBom(bom);
  if (file !== undefined && findings.length === 0) {
    writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`);
  }
  const about = `CycloneDX ${bom.specVersion}, ${bom.components.length} packages`;
  return { name, about: file === undefined ? about : `${about}, in ${file}`, findings };
}

/** Checks the basic rules of the CycloneDX schema, and that each reference leads to a package. */
function judgeBom(bom: Bom): Finding[] {
  const faults: string[] = [];
  const expect = (isRight: boolean, fault: string) => void (isRight || faults.push(fault));
  expect(bom.bomFormat === 'CycloneDX', 'bomFormat is not CycloneDX');
  expect(/^1\.[4-7]$/.test(bom.specVersion), `specVersion is ${bom.specVersion}`);
  expect(/^urn:uuid:[0-9a-f-]{36}$/.test(bom.serialNumber), 'serialNumber is not a UUID');
  expect(Number.isInteger(bom.version) && bom.version > 0, 'version is not a positive integer');
  expect(!Number.isNaN(Date.parse(bom.metadata?.timestamp)), 'the timestamp is invalid');
  expect(bom.components.length > 0, 'it has no packages');
  const all = [bom.metadata.component, ...bom.components];
  const refs = new Set(all.map((one) => one['bom-ref']));
  expect(refs.size === all.length, 'two packages have the same bom-ref');
  for (const one of all) {
    const isComplete = ['bom-ref', 'type', 'name', 'version', 'purl'].every(
      (key) => typeof one[key as keyof Component] === 'string',
    );
    expect(isComplete, `a package is incomplete: ${one['bom-ref'] ?? one.name}`);
    expect(/^pkg:npm\/.+@.+/.test(one.purl), `an invalid purl: ${one.purl}`);
  }
  for (const { ref, dependsOn = [] } of bom.dependencies) {
    for (const to of [ref, ...dependsOn]) expect(refs.has(to), `${ref} refers to missing ${to}`);
  }
  return faults.map((fault) => problem(`${fault}. Check the output of npm sbom`));
}
