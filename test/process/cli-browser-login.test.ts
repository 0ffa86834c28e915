// `latchkey login --browser`: the program waits while a user decides in the browser.
import { EventEmitter } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CommandHost } from '../../clients/cli/src/base/command.ts';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { runProgram } from '../../src/cli/program.ts';
import { describeAppOnSqlite } from '../support/app-suite.ts';
import { openShell } from '../support/cli.ts';
import { messageOf } from '../support/manager-calls.ts';
import { liveSessions } from '../support/member-rows.ts';
import { cookieOf } from '../support/method-access.ts';
import { addSession, addUser } from '../support/user-rows.ts';

const { approveDeviceSignIn, denyDeviceSignIn, findDeviceSignIn } = SessionService.method;

describeAppOnSqlite('latchkey login --browser', (suite) => {
  beforeEach(() => {
    suite.clock.frozen = Math.ceil(Date.now() / 1000) * 1000;
  });
  afterEach(() => {
    suite.clock.frozen = undefined;
  });
  const wait = (ms: number) => {
    suite.clock.frozen = suite.clock.now() + ms;
  };

  /** A terminal in which each pause of the program is a step of the test. */
  async function openTerminal() {
    const { env, home } = await openShell();
    const user = await addUser(suite.app.inside.db, {
      scopes: 'users:read users:write clients:read clients:write',
    });
    const shown = { stdout: '', stderr: '' };
    const outputTo = (name: keyof typeof shown) => ({
      isTTY: true,
      write(data: string | Uint8Array, done?: () => void) {
        shown[name] += Buffer.from(data).toString();
        done?.();
      },
    });
    const signals = new EventEmitter();
    const pauses: number[] = [];
    async function run(
      words: readonly string[],
      steps: readonly ((ms: number) => unknown)[] = [],
      isTTY = true,
    ): Promise<number> {
      Object.assign(shown, { stdout: '', stderr: '' });
      pauses.length = 0;
      const host: CommandHost = {
        env,
        stdin: Object.assign(Readable.from([]), { isTTY }),
        stdout: outputTo('stdout'),
        stderr: outputTo('stderr'),
        on: signals.on.bind(signals) as unknown as CommandHost['on'],
        off: signals.off.bind(signals) as unknown as CommandHost['off'],
        async pause(ms, signal) {
          const step = steps[pauses.length];
          pauses.push(ms);
          if (step === undefined) throw new Error('the program waits once more');
          await step(ms);
          signal.throwIfAborted();
        },
      };
      return runProgram(words, host);
    }
    const decide = async (
      method: typeof approveDeviceSignIn | typeof denyDeviceSignIn,
      { id } = user,
    ) => {
      const [, userCode = ''] = /the code ([A-Z-]{9})\./.exec(shown.stderr) ?? [];
      const { cookie } = await addSession(suite.app.inside.db, id, {
        createTime: suite.clock.now(),
      });
      const own = { cookie: cookieOf(cookie) };
      const transport = suite.transport('connect');
      const asking = messageOf(await transport.call(findDeviceSignIn, { userCode }, own));
      expect(asking).toMatchObject({ browser: 'latchkey', device: 'Linux' });
      messageOf(await transport.call(method, { userCode }, own));
    };
    return {
      ...{ run, shown, pauses, signals, user },
      login: (...steps: readonly ((ms: number) => unknown)[]) =>
        run(['login', '--server', suite.app.publicUrl, '--browser'], steps),
      approve: async (ms: number) => {
        wait(ms);
        await decide(approveDeviceSignIn);
      },
      approveAs: (other: typeof user) => () => decide(approveDeviceSignIn, other),
      deny: () => decide(denyDeviceSignIn),
      profile: path.join(home, 'config/latchkey/profile.json'),
    };
  }

  it('waits as the server says, stores the profile, and confirms in the browser', async () => {
    const terminal = await openTerminal();
    const { login, run, approve, approveAs, shown, pauses, user, profile } = terminal;
    // The second call is too early for the server.
    expect(await login(wait, () => wait(2000), approve)).toBe(0);
    expect(pauses).toEqual([5000, 5000, 10_000]);
    const page = `${suite.app.publicUrl}/console/device`;
    const code = '[B-Z]{4}-[B-Z]{4}';
    expect(shown.stderr).toMatch(new RegExp(`\\n  ${page}#(${code})\\n[^]* the code \\1\\.`));
    expect(shown.stderr).toContain(`Signed in to ${suite.app.publicUrl} as ${user.email}.`);
    expect((await stat(profile)).mode & 0o777).toBe(0o600);
    const { credential } = JSON.parse(await readFile(profile, 'utf8'));
    expect(credential).toMatchObject({ kind: 'session', email: user.email });

    // A sensitive action needs another approval. The new session replaces the first.
    const other = await addUser(suite.app.inside.db, { kind: 'member' });
    const before = await liveSessions(suite.app.inside.db, user.id);
    wait(301_000);
    expect(await run(['users', 'disable', other.id], [approve])).toBe(0);
    expect(shown.stderr).toContain(`Sign in again as ${user.email}.`);
    const after = await liveSessions(suite.app.inside.db, user.id);
    expect(before.filter((id) => !after.includes(id))).toHaveLength(1);

    // Another user must not confirm the action.
    wait(301_000);
    const staff = await addUser(suite.app.inside.db);
    expect(await run(['users', 'enable', other.id], [approveAs(staff)])).toBe(77);
    expect(shown.stderr).toContain(`approved by ${staff.email}, not by ${user.email}`);

    // A script cannot be asked.
    expect(await run(['users', 'enable', other.id], [], false)).toBe(77);
    expect(shown.stderr).toMatch(/Run: .*latchkey login --browser\n$/);
  });

  it('ends when the user denies, when the code expires, and at Ctrl-C', async () => {
    const { login, run, deny, shown, signals, profile } = await openTerminal();
    expect(await login(deny)).toBe(77);
    expect(shown.stderr).toContain('The user denied the sign-in. (identity.device_sign_in_denied');
    expect(await login(() => wait(600_000))).toBe(77);
    expect(shown.stderr).toContain('identity.device_code_invalid');
    expect(await login(() => signals.emit('SIGINT'))).toBe(130);
    expect(shown.stderr).toContain('Interrupted.');
    expect(signals.listenerCount('SIGINT')).toBe(0);
    for (const other of ['--api-key', '--email=a@example.com', '--password-stdin']) {
      expect(await run(['login', '--server', suite.app.publicUrl, '--browser', other])).toBe(2);
    }
    await expect(stat(profile)).rejects.toThrow('ENOENT');
  });

  it('confirms several changes once: a denial or Ctrl-C ends all of them', async () => {
    const { login, run, approve, deny, shown, signals, profile } = await openTerminal();
    expect(await login(approve)).toBe(0);
    const file = path.join(path.dirname(profile), 'clients.json');
    const clients = ['first', 'second', 'third'].map((client_id) => ({
      ...{ client_id, client_secret: 'a-secret-of-another-server' },
      grant_types: ['client_credentials'],
    }));
    await writeFile(file, JSON.stringify(clients));
    wait(301_000);
    expect(await run(['import', 'hydra', file], [() => signals.emit('SIGINT')])).toBe(130);
    expect(shown.stderr).toContain('0 changed, 1 failed, 2 not tried.');
    expect(await run(['import', 'hydra', file], [deny])).toBe(1);
    expect(shown.stderr).toContain('0 changed, 1 failed, 2 not tried.');
    expect(await run(['import', 'hydra', file], [approve])).toBe(2);
    expect(shown.stderr).toContain('3 changed, 0 failed.');
  });
});
