// Connections to a PostgreSQL server that accepts only TLS.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../src/storage/database.ts';
import { createAuthority } from './support/certificates.ts';
import { createDatabase, type PostgresServer, startPostgres } from './support/postgres.ts';
import { spawnProgram } from './support/program.ts';
import { itHoldsFor } from './support/rule.ts';

describe('a PostgreSQL server that accepts only TLS', () => {
  let folder: string;
  let postgres: PostgresServer;
  let template: URL;
  const authority = createAuthority('Test authority');

  async function setHost(dataDir: string, host: string): Promise<void> {
    const { certificate, key } = authority.issue(host);
    await writeFile(path.join(dataDir, 'server.crt'), certificate);
    await writeFile(path.join(dataDir, 'server.key'), key);
    await chmod(path.join(dataDir, 'server.key'), 0o600);
  }

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'latchkey-test-'));
    await writeFile(path.join(folder, 'ca.pem'), authority.certificate);
    await writeFile(path.join(folder, 'other.pem'), createAuthority('Other').certificate);
    postgres = await startPostgres({
      settings: ['ssl=on', 'ssl_cert_file=server.crt', 'ssl_key_file=server.key'],
      async prepare(dataDir) {
        await setHost(dataDir, 'localhost');
        await writeFile(path.join(dataDir, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 trust\n');
      },
    });
    template = new URL(await createDatabase(`${postgres.url}?sslmode=no-verify`));
  });
  afterAll(async () => {
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const urlOf = (host: string, mode: string, ca?: string) => {
    const url = new URL(template);
    url.hostname = host;
    const root = ca === undefined ? '' : `&sslrootcert=${path.join(folder, ca)}`;
    url.search = `?sslmode=${mode}${root}`;
    return url.href;
  };

  itHoldsFor([
    ['verify-full', 'localhost', 'ca.pem'],
    ['no-verify', '127.0.0.1', undefined],
  ])('is used with each sslmode', async (mode, host, ca) => {
    const db = await openDatabase(urlOf(host, mode, ca));
    expect(await db.selectFrom('leases').selectAll().execute()).toEqual([]);
    await db.destroy();
  });

  itHoldsFor([
    ['another authority', 'localhost', 'verify-full', 'other.pem', /certificate/],
    ['no authority', 'localhost', 'verify-full', undefined, /certificate/],
    ['no TLS', 'localhost', 'disable', undefined, /no pg_hba\.conf entry .* no encryption/],
  ])('is refused with the wrong authority or no TLS', async (_, host, mode, ca, reason) => {
    const error = await openDatabase(urlOf(host, mode, ca)).catch((thrown) => thrown);
    expect(error.message).toMatch(/^cannot connect to the PostgreSQL server: /);
    expect(error.message).toMatch(reason);
    expect(error.message).toMatch(/; check LATCHKEY_DATABASE_URL$/);
  });

  it('is refused at an IP address, for which pg would verify another name', async () => {
    await expect(openDatabase(urlOf('127.0.0.1', 'verify-full', 'ca.pem'))).rejects.toThrow(
      'LATCHKEY_DATABASE_URL: TLS with a verified certificate needs a host name, not an IP address',
    );
  });

  itHoldsFor([
    ['missing.pem', /LATCHKEY_DATABASE_URL: ENOENT: .*missing\.pem/],
    ['other.pem', /cannot connect to the PostgreSQL server: .*certificate/],
  ])('makes a start fail with one line for the authority', async (ca, reason) => {
    const env = { LATCHKEY_DATABASE_URL: urlOf('localhost', 'verify-full', ca) };
    const program = await spawnProgram(env);
    const status = await program.ended;
    await program.remove();
    expect(status).toBe(1);
    expect(program.stderr()).toMatch(/^Latchkey cannot start: .*\n$/);
    expect(program.stderr()).toMatch(reason);
  });

  it('is refused with a certificate for another host', async () => {
    await setHost(postgres.dataDir, 'db.example.com');
    const client = new pg.Client({ connectionString: urlOf('127.0.0.1', 'no-verify') });
    await client.connect();
    await client.query('select pg_reload_conf()').finally(() => client.end());

    const open = () => openDatabase(urlOf('localhost', 'verify-full', 'ca.pem'));
    const reasonOf = () =>
      open().then(
        (db) => db.destroy(),
        (error) => error.message,
      );
    await expect
      .poll(reasonOf)
      .toMatch(/^cannot connect .* does not match certificate.*; check LATCHKEY_DATABASE_URL$/);
  });
});
