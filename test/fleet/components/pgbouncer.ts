// PgBouncer with the configuration that deploy/ ships.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { giveAway, superuser } from '../../support/postgres-files.ts';
import { canConnect } from './can-connect.ts';
import { serverProcess, waitFor } from './process.ts';

const shipped = path.resolve(import.meta.dirname, '../../../deploy/pgbouncer/pgbouncer.ini');

export type PgBouncer = Awaited<ReturnType<typeof startPgBouncer>>;

/** Replaces the addresses and the path; throws if the shipped file does not contain them. */
function render(text: string, values: Record<string, string>): string {
  return Object.entries(values).reduce((rendered, [from, to]) => {
    if (!rendered.includes(from)) throw new Error(`pgbouncer.ini does not contain ${from}`);
    return rendered.replace(from, to);
  }, text);
}

export async function startPgBouncer(folder: string, postgresPort: () => number) {
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const userList = path.join(folder, 'userlist.txt');
  const config = path.join(folder, 'pgbouncer.ini');
  async function writeConfig(): Promise<void> {
    const text = render(await readFile(shipped, 'utf8'), {
      'host=postgres port=5432': `host=127.0.0.1 port=${postgresPort()}`,
      'listen_addr = 0.0.0.0': 'listen_addr = 127.0.0.1',
      'listen_port = 6432': `listen_port = ${port}`,
      '/etc/pgbouncer/userlist.txt': userList,
    });
    await writeFile(config, text);
  }
  await writeFile(userList, `"${superuser}" "${superuser}"\n`);
  await writeConfig();
  await giveAway(folder);
  const server = serverProcess({
    command: 'pgbouncer',
    args: [config],
    folder,
    isUnprivileged: true,
  });
  server.start();
  await waitFor('PgBouncer listens', () => canConnect(port)).catch((error) => {
    throw new Error(server.output(), { cause: error });
  });
  return {
    url: `postgres://${superuser}:${superuser}@127.0.0.1:${port}/latchkey`,
    output: server.output,
    stop: () => server.end('SIGKILL'),
    /** Makes later connections go to the present primary. */
    async reload(): Promise<void> {
      await writeConfig();
      server.signal('SIGHUP');
    },
  };
}
