// The files of a project that the checks of a release read, and its npm.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

export type Manifest = {
  readonly name: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly main?: string;
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly exports?: unknown;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
};

/** An entry of the lock file. */
export type LockedPackage = {
  readonly name?: string;
  readonly version?: string;
  readonly link?: boolean;
  readonly resolved?: string;
};

export type Lock = {
  readonly version?: string;
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

/** Returns the text of a file, or undefined if it does not exist. */
export function readText(root: string, file: string): string | undefined {
  const name = path.join(root, file);
  return existsSync(name) ? readFileSync(name, 'utf8') : undefined;
}

export function readManifest(root: string, folder = '.'): Manifest {
  return JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
}

export function readLock(root: string): Lock {
  return JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
}

/** Returns the folders and manifests of the workspaces that are published to npm. */
export function readWorkspaces(root: string): { folder: string; manifest: Manifest }[] {
  return (readManifest(root).workspaces ?? [])
    .map((folder) => ({ folder, manifest: readManifest(root, folder) }))
    .filter(({ manifest }) => manifest.private !== true);
}

export type NpmOutput = {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
};

/** Runs npm in the project. It does not throw if npm fails. */
export function npm(root: string, ...words: string[]): Promise<NpmOutput> {
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024, timeout: 120_000 };
  return new Promise((resolve) => {
    execFile('npm', words, options, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : 1, stdout, stderr });
    });
  });
}
