// Runs `latchkey doctor` on credentials that expire soon and on the schedule of the signing keys.
import path from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteFile } from '../../src/storage/drivers/sqlite-library.ts';
import { stoppedInstallation } from '../support/harness.ts';
import { runIn } from '../support/program.ts';

test('credentials that expire soon and a late rotation of signing keys are warnings', async () => {
  const dataDir = await stoppedInstallation();
  const db = openSqliteFile(path.join(dataDir, 'latchkey.db'));
  const day = 86_400_000;
  const now = Date.now();
  const [ids, id] = [(one: { id: string }) => one.id, `select id from credentials where`];
  const secrets = db.prepare(`${id} client_id is not null order by id`).all() as { id: string }[];
  const [key = ''] = (db.prepare(`${id} workspace_id is not null`).all() as { id: string }[]).map(
    ids,
  );
  const [secret = ''] = secrets.map(ids);
  const report = async () => (await runIn(dataDir, ['doctor'])).stdout;
  const activate = (days: number) =>
    db.exec(`update signing_keys set activate_time = ${now - days * day}`);

  activate(10);
  const fine = await report();
  db.exec(`update credentials set expire_time = ${now + 20 * day}`);
  db.exec(`update credentials set expire_time = ${now + 3 * day} where id = '${secret}'`);
  db.exec(`update credentials set expire_time = ${now - day} where id = '${key}'`);
  activate(31);
  const late = await report();
  // The next key should be published an hour before the rotation.
  activate(30 - 1 / 48);
  db.exec(`update clients set disable_time = ${now}`);
  const unpublished = await report();
  db.close();

  expect(fine).toMatch(/^ok +signing keys {2}the EdDSA key \S+ is replaced at \d{4}-/m);
  expect(fine).toMatch(/^ok +credentials +no credential expires within 14 days$/m);
  expect(late).toMatch(/^warning +signing keys {2}the EdDSA key \S+ has been active since /m);
  expect(late.match(/^warning +credentials .*$/gm)).toEqual([
    expect.stringContaining(`a secret of a client expires within 14 days: ${secret} at `),
  ]);
  expect(unpublished).toMatch(/^warning +signing keys {2}.*, but the next key is not published; /m);
  expect(unpublished).toMatch(/^ok +credentials /m);
});
