// The package @latchkey/cli, as it is installed, with a real server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remoteGroups } from '../../clients/cli/src/commands.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import type { PackedClients } from '../support/packed-clients.ts';

export function describeCommandLine(installed: () => PackedClients): void {
  let testApp: TestApp;
  beforeAll(async () => {
    testApp = await startTestApp();
  });
  afterAll(() => testApp?.remove());

  async function run(words: readonly string[], input = '', env: Record<string, string> = {}) {
    const { folder } = installed();
    const child = spawn(path.join(folder, 'node_modules/.bin/latchkey'), words, {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', XDG_CONFIG_HOME: path.join(folder, 'config'), ...env },
    });
    child.stdin.end(input);
    const ended = once(child, 'close');
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [status] = await ended;
    return { status, stdout, stderr };
  }

  describe('@latchkey/cli', () => {
    it('lists its commands, without those of an installation', async () => {
      const { status, stdout } = await run(['help']);
      expect(status).toBe(0);
      const listed = [...stdout.matchAll(/^ {2}(\w[\w-]*) /gm)].map(([, name]) => name);
      const names = remoteGroups.flatMap(({ commands }) => commands.map(({ name }) => name));
      expect(listed).toEqual([...names, 'completion']);
      expect(await run(['serve'])).toMatchObject({ status: 2 });
    });

    it('says its version', async () => {
      const manifest = path.join(installed().folder, 'node_modules/@latchkey/cli/package.json');
      const { version } = JSON.parse(await readFile(manifest, 'utf8'));
      expect((await run(['version'])).stdout).toBe(`latchkey ${version}\n`);
    });

    it('signs in, uploads a document, and shares it', async () => {
      const { env } = testApp;
      const login = ['login', '--server', env.LATCHKEY_BASE_URL, '--email', env.STAFF_EMAIL];
      const workspace = ['--workspace', env.WORKSPACE_ID, '--password-stdin'];
      const signedIn = await run([...login, ...workspace], `${env.STAFF_PASSWORD}\n`);
      expect(signedIn).toMatchObject({ status: 0 });
      const { folder } = installed();
      const profile = await stat(path.join(folder, 'config/latchkey/profile.json'));
      expect(profile.mode & 0o077).toBe(0);

      await writeFile(path.join(folder, 'notes.md'), '# Notes');
      const shared = await run(['upload', 'notes.md', '--share']);
      expect(shared).toMatchObject({ status: 0 });
      const [url = ''] = /\S+\/s\/\S+/.exec(shared.stdout) ?? [];
      expect((await fetch(url)).status).toBe(200);
    });

    it('uses the credential of the environment', async () => {
      const { LATCHKEY_BASE_URL, API_KEY } = testApp.env;
      const env = { LATCHKEY_BASE_URL, LATCHKEY_API_KEY: API_KEY };
      await writeFile(path.join(installed().folder, 'plan.md'), '# Plan');
      expect(await run(['upload', 'plan.md'], '', env)).toMatchObject({ status: 0 });
      const { stdout } = await run(['documents', 'list', '--json'], '', env);
      expect(stdout).toContain('plan.md');
    });
  });
}
