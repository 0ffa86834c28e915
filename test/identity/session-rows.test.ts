// The rows of sessions: the maximum for a user, and their deletion.
import { afterEach, expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import { CookieClient } from '../support/cookie-client.ts';
import { addSession, addUser } from '../support/user-rows.ts';

const password = 'correct horse battery staple';
const hour = 60 * 60_000;

describeApp('a session', (suite) => {
  const db = () => suite.app.inside.db;
  const add = () => addUser(db(), { password });
  afterEach(() => {
    suite.clock.frozen = undefined;
  });

  it('is one of at most a hundred of its user', async () => {
    const user = await add();
    const old = await addSession(db(), user.id, { createTime: Date.now() - 2000 });
    for (let i = 0; i < 99; i++) await addSession(db(), user.id);
    const ended = async () => {
      const rows = await db()
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', user.id)
        .where('revoke_time', 'is not', null)
        .execute();
      return rows.map(({ id }) => id);
    };

    await new CookieClient(suite.transport('http')).signedIn({ email: user.email, password });

    expect(await ended()).toEqual([old.id]);
  });

  it('is deleted from the database in the end', async () => {
    const user = await add();
    const { id } = await addSession(db(), user.id);
    const find = () => db().selectFrom('sessions').select('id').where('id', '=', id).execute();
    expect(await find()).toHaveLength(1);

    suite.clock.frozen = Date.now() + 2 * hour;
    await suite.app.inside.deleteOldRows();

    expect(await find()).toEqual([]);
  });
});
