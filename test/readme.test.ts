// The README's tour, as written: each line in one shell, each answer beside the one that is shown.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from './support/harness.ts';

const root = path.resolve(import.meta.dirname, '..');
const readme = await readFile(path.join(root, 'README.md'), 'utf8');

/** Shorter than the default, so that a sign-in is soon no longer recent. */
const stepUpSeconds = 5;

type Step = { readonly command: string; readonly shown: string | undefined };

/** The shell blocks of the tour, each with the answer that follows it, if one does. */
function stepsOf(text: string): Step[] {
  const blocks = [...text.matchAll(/```(sh|json)\n([\s\S]*?)```/g)];
  return blocks.flatMap(([, language, command = ''], i) => {
    if (language !== 'sh') return [];
    const next = blocks[i + 1];
    return [{ command, shown: next?.[1] === 'json' ? next[2]?.trim() : undefined }];
  });
}

/** What is shown, with `…` for anything, and members left out where the answer has more. */
function patternOf(shown: string): RegExp {
  const parts = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[\\s\\S]*?')}$`);
}

describe('the tour of the README', () => {
  let test: TestApp;
  let folder: string;
  beforeAll(async () => {
    test = await startTestApp({ config: { stepUpSeconds } });
    folder = await mkdtemp(path.join(tmpdir(), 'latchkey-tour-'));
    await symlink(test.dataDir, path.join(folder, 'data'));
    await symlink(path.join(root, 'docs'), path.join(folder, 'docs'));
    await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  });
  afterAll(async () => {
    await test.remove();
    await rm(folder, { recursive: true, force: true });
  });

  it('works as it is written', async () => {
    const steps = stepsOf(readme);
    expect(steps.length).toBeGreaterThan(8);
    const mark = '----- next -----';
    const script = steps.map(({ command }) => `${command}\necho\necho '${mark}'\n`).join('');
    const answers = (await bash(script, folder)).split(mark);
    for (const [i, { command, shown }] of steps.entries()) {
      const answer = answers[i]?.trim() ?? '';
      if (shown !== undefined) expect(answer, command).toMatch(patternOf(shown));
    }
  });
});

function bash(script: string, cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, LATCHKEY_STEP_UP_SECONDS: String(stepUpSeconds) };
    const shell = spawn('bash', ['-e', '-o', 'pipefail', '-s'], { cwd, env });
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
      else reject(new Error(`the tour stopped with ${code}: ${err}\n${out}`));
    });
    shell.stdin.end(script);
  });
}
