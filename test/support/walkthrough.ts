// Runs the shell blocks of a document as a reader would: in order, in one shell.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

type Step = { readonly command: string; readonly shown: string | undefined };

export type Walkthrough = {
  /** The document's path, relative to the root. */
  readonly document: string;
  /** The data folder of the running service. */
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
};

/** Runs each `sh` block, and compares its output with the `json` block that follows it, if any. */
export async function walkThrough({ document, dataDir, env }: Walkthrough): Promise<void> {
  const steps = stepsOf(await readFile(path.join(root, document), 'utf8'));
  expect(steps.length).toBeGreaterThan(1);
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-walkthrough-'));
  try {
    await symlink(dataDir, path.join(folder, 'data'));
    await symlink(path.join(root, 'docs'), path.join(folder, 'docs'));
    await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
    const mark = '----- next -----';
    const script = steps.map(({ command }) => `${command}\necho\necho '${mark}'\n`).join('');
    const answers = (await bash(script, folder, env)).split(mark);
    for (const [i, { command, shown }] of steps.entries()) {
      const answer = answers[i]?.trim() ?? '';
      if (shown !== undefined) expect(answer, command).toMatch(patternOf(shown));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function stepsOf(text: string): Step[] {
  const blocks = [...text.matchAll(/```(sh|json)\n([\s\S]*?)```/g)];
  return blocks.flatMap(([, language, command = ''], i) => {
    if (language !== 'sh') return [];
    const next = blocks[i + 1];
    return [{ command, shown: next?.[1] === 'json' ? next[2]?.trim() : undefined }];
  });
}

/** Compares the whole text; `…` in the expected text matches any text. */
function patternOf(shown: string): RegExp {
  const parts = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[\\s\\S]*?')}$`);
}

function bash(script: string, cwd: string, env: Walkthrough['env']): Promise<string> {
  return new Promise((resolve, reject) => {
    const shell = spawn('bash', ['-e', '-o', 'pipefail', '-s'], {
      cwd,
      env: { ...process.env, ...env },
    });
    let out = '';
    let err = '';
    shell.stdout.on('data', (chunk) => {
      out += chunk;
    });
    shell.stderr.on('data', (chunk) => {
      err += chunk;
    });
    shell.on('close', (code) => {
      if (code === 0) resolve(out);
      else reject(new Error(`the shell ended with ${code}: ${err}\n${out}`));
    });
    shell.stdin.end(script);
  });
}
