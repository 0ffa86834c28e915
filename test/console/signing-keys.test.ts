import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { consoles, expectAccessible, fillSignIn, longAgo } from '../support/console.ts';
import { changeElsewhere } from '../support/rows.ts';
import { publishedKids } from '../support/signing-keys.ts';
import { overhangOf, phone } from '../support/viewing.ts';

const { app, visitAs, staff } = consoles();

const keys = () =>
  app().app.inside.db.selectFrom('signing_keys').selectAll().orderBy('create_time').execute();

async function inState(state: string) {
  return (await keys()).filter((key) => key.state === state).map(({ kid }) => kid);
}

/** Lets the keys that wait be known to everybody. */
function makeReady() {
  return changeElsewhere(
    app().app.inside.db,
    (trx) =>
      trx
        .updateTable('signing_keys')
        .set(({ eb }) => ({ create_time: eb('create_time', '-', 400_000) }))
        .where('state', '=', 'pending')
        .execute(),
    'signing_keys',
  );
}

const rowOf = (page: Page, kid = '') =>
  page
    .getByRole('table', { name: 'Signing keys' })
    .getByRole('row')
    .filter({
      hasText: kid.slice(0, 8),
    });

async function createKey(page: Page): Promise<string> {
  const before = await inState('pending');
  await page.getByRole('button', { name: 'Create key' }).click();
  await expect.poll(() => inState('pending')).toHaveLength(before.length + 1);
  const kid = (await inState('pending')).find((one) => !before.includes(one)) ?? '';
  await rowOf(page, kid).getByText('Waits').waitFor();
  return kid;
}

describe('signing keys', () => {
  it('are created after a sign-in, once, and activated when they are ready', async () => {
    const user = await staff();
    const { page, open } = await visitAs(user, { signedInAt: longAgo() });
    await open('/signing-keys');
    const [old = ''] = await inState('active');
    await rowOf(page, old).getByText('Signs', { exact: true }).waitFor();
    await page.getByText('No key waits').waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    await fillSignIn(page, user);
    await page.getByText(/may sign from .* on, when everybody/).waitFor();
    const [kid = '', ...others] = await inState('pending');
    expect(others).toEqual([]);
    expect(await publishedKids(app().app.publicUrl)).toContain(kid);

    const row = rowOf(page, kid);
    await row.getByText('May sign from').waitFor();
    expect(await row.getByRole('button', { name: /^Activate \S+$/ }).count()).toBe(0);
    await makeReady();
    await page.reload();
    await page.getByText('is ready: it signs once it is activated').waitFor();
    await row.getByRole('button', { name: /^Activate \S+$/ }).click();
    const dialog = page.getByRole('dialog', { name: /^Let \S+ sign\?$/ });
    await dialog.getByText('it never signs again').waitFor();
    expect(await inState('active')).toEqual([old]);
    await dialog.getByRole('button', { name: 'Activate' }).click();
    await row.getByText('Signs', { exact: true }).waitFor();
    await rowOf(page, old).getByText('Published until').waitFor();
    expect(await inState('active')).toEqual([kid]);
    expect(await inState('retired')).toEqual([old]);
  });

  it('sign before they are ready for those only who were told whom it breaks', async () => {
    const { page, open } = await visitAs(await staff());
    await open('/signing-keys');
    const kid = await createKey(page);
    await rowOf(page, kid).getByRole('button', { name: 'Activate early' }).click();
    const dialog = page.getByRole('dialog', { name: 'before it is ready' });
    await dialog.getByText('They refuse its tokens').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await inState('active')).not.toContain(kid);
    await rowOf(page, kid).getByRole('button', { name: 'Activate early' }).click();
    await dialog.getByRole('button', { name: 'Activate early' }).click();
    await rowOf(page, kid).getByText('Signs', { exact: true }).waitFor();
    expect(await inState('active')).toEqual([kid]);
  });

  it('are revoked, also the one that signs, and the user stays signed in', async () => {
    const { page, open } = await visitAs(await staff());
    await open('/signing-keys');
    const waiting = await createKey(page);
    await rowOf(page, waiting).getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog', { name: /^Revoke / });
    await dialog.getByText('No token becomes void').waitFor();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await rowOf(page, waiting).getByText('Revoked').first().waitFor();
    expect(await inState('revoked')).toContain(waiting);

    const [active = ''] = await inState('active');
    await rowOf(page, active).getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByText('Every token that it has signed becomes void at once').waitFor();
    await dialog.getByText('a new key signs from the same moment on').waitFor();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await rowOf(page, active).getByText('Revoked').first().waitFor();
    expect(await publishedKids(app().app.publicUrl)).not.toContain(active);
    const [next = ''] = await inState('active');
    await rowOf(page, next).getByText('Signs', { exact: true }).waitFor();
    expect(await rowOf(page, active).getByRole('button', { name: 'Revoke' }).count()).toBe(0);
  });

  it('are told of a ready key that takes the place of a revoked one', async () => {
    const { page, open } = await visitAs(await staff());
    await open('/signing-keys');
    const kid = await createKey(page);
    await makeReady();
    await page.reload();
    const [active = ''] = await inState('active');
    await rowOf(page, active).getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog', { name: /^Revoke / });
    await dialog.getByText(`${kid.slice(0, 8)}, which is ready, signs`).waitFor();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await rowOf(page, kid).getByText('Signs', { exact: true }).waitFor();
    expect(await inState('active')).toEqual([kid]);
  });

  it('are shown as gone once they are, where the clock is ahead, too', async () => {
    const { page, open } = await visitAs(await staff());
    const removeTime = Date.now() + 6000;
    const kid = `retired-${'x'.repeat(35)}`;
    await changeElsewhere(
      app().app.inside.db,
      async (trx) => {
        const like = await trx
          .selectFrom('signing_keys')
          .selectAll()
          .where('state', '=', 'active')
          .executeTakeFirstOrThrow();
        const row = { ...like, kid, state: 'retired' as const, private_ciphertext: '' };
        const times = { retire_time: removeTime - 60_000, remove_time: removeTime };
        await trx
          .insertInto('signing_keys')
          .values({ ...row, ...times })
          .execute();
      },
      'signing_keys',
    );
    await page.clock.install({ time: Date.now() + 60_000 });
    await open('/signing-keys');
    await rowOf(page, kid).getByText('Removed', { exact: true }).first().waitFor();
  });

  it('are shown to everybody who may see them, on a phone and in the dark, too', async () => {
    const { page, open } = await visitAs(await staff(['signing_keys:read']), phone);
    await open('/signing-keys');
    await page.getByRole('img', { name: 'The lives of the keys' }).waitFor();
    await rowOf(page).nth(2).waitFor();
    expect(await page.getByRole('button', { name: /Create|Activate|Revoke/ }).count()).toBe(0);
    expect(await overhangOf(page)).toBe(0);
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);
  });

  it('are shown with nothing wrong for those who cannot see them well', async () => {
    const { page, open } = await visitAs(await staff());
    await open('/signing-keys');
    const kid = await createKey(page);
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);
    await rowOf(page, kid).getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog', { name: /^Revoke / }).waitFor();
    await expectAccessible(page);
  });
});
