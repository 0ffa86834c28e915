import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { overhangOf, phone } from '../support/browser-pages.ts';
import { chooseRowAction, openRowMenu } from '../support/console-menus.ts';
import {
  changeColorScheme,
  expectAccessible,
  fillSignIn,
  staleSignInTime,
  useConsole,
} from '../support/console-suite.ts';
import { changeAsOtherProcess } from '../support/owner-rows.ts';
import { publishedKids } from '../support/signing-keys.ts';

const clock = { aheadMs: 0 };
const { app, visitAs, staff } = useConsole({ now: () => Date.now() + clock.aheadMs });

const keys = () =>
  app().app.inside.db.selectFrom('signing_keys').selectAll().orderBy('create_time').execute();

async function inState(state: string) {
  return (await keys()).filter((key) => key.state === state).map(({ kid }) => kid);
}

/** Ages the pending keys until they are ready. */
function makeReady() {
  return changeAsOtherProcess(app().app.inside.db, (trx) =>
    trx
      .updateTable('signing_keys')
      .set(({ eb }) => ({ create_time: eb('create_time', '-', 400_000) }))
      .where('state', '=', 'pending')
      .execute(),
  );
}

const rowOf = (page: Page, kid = '') =>
  page
    .getByRole('table', { name: 'Signing keys' })
    .getByRole('row')
    .filter({
      hasText: kid.slice(0, 8),
    });

async function askToCreate(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Create key' }).click();
  const question = page.getByRole('dialog', { name: 'Create a signing key?' });
  await question.waitFor();
  return question;
}

async function createKey(page: Page): Promise<string> {
  const before = await inState('pending');
  const question = await askToCreate(page);
  await question.getByRole('button', { name: 'Create key' }).click();
  await expect.poll(() => inState('pending')).toHaveLength(before.length + 1);
  const kid = (await inState('pending')).find((one) => !before.includes(one)) ?? '';
  await rowOf(page, kid).getByText('Pending').waitFor();
  return kid;
}

describe('signing keys', () => {
  it('are created once after a step-up, and activated when ready or early', async () => {
    const user = await staff();
    const { page, open } = await visitAs(user, { signedInAt: staleSignInTime() });
    await open('/signing-keys');
    const [old = ''] = await inState('active');
    await rowOf(page, old).getByText('Active', { exact: true }).waitFor();
    await page
      .getByText(
        /The next key is created automatically before the next rotation on \w+\s\d+,\s\d{4}/,
      )
      .waitFor();
    const question = await askToCreate(page);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await inState('pending')).toEqual([]);
    const again = await askToCreate(page);
    await again.getByRole('button', { name: 'Create key' }).click();
    await fillSignIn(page, user);
    await page.getByText(/is next\. It is ready at/).waitFor();
    const [kid = '', ...others] = await inState('pending');
    expect(others).toEqual([]);
    expect(await publishedKids(app().app.publicUrl)).toContain(kid);

    const row = rowOf(page, kid);
    await row.getByText('Ready').waitFor();
    const menu = await openRowMenu(row);
    await menu.getByRole('menuitem', { name: 'Activate early', exact: true }).waitFor();
    expect(await menu.getByRole('menuitem', { name: 'Activate', exact: true }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await makeReady();
    await page.reload();
    await page.getByText('It is ready and takes over at the next rotation').waitFor();
    await chooseRowAction(row, 'Activate');
    const dialog = page.getByRole('dialog', { name: /^Activate \S+\?$/ });
    await dialog.getByText('it never signs again').waitFor();
    expect(await inState('active')).toEqual([old]);
    await dialog.getByRole('button', { name: 'Activate' }).click();
    await row.getByText('Active', { exact: true }).waitFor();
    await rowOf(page, old).getByText('Published until').waitFor();
    await page.getByText(/is retired: .* it stays published until \w+\s\d+/).waitFor();
    expect(await inState('active')).toEqual([kid]);
    expect(await inState('retired')).toEqual([old]);

    const next = await createKey(page);
    await chooseRowAction(rowOf(page, next), 'Activate early');
    const warning = page.getByRole('dialog', { name: /^Activate .* early\?$/ });
    await warning.getByText('They reject its tokens').waitFor();
    await warning.getByRole('button', { name: 'Cancel' }).click();
    await warning.waitFor({ state: 'hidden' });
    expect(await inState('active')).not.toContain(next);
    await chooseRowAction(rowOf(page, next), 'Activate early');
    await warning.getByRole('button', { name: 'Activate early' }).click();
    await rowOf(page, next).getByText('Active', { exact: true }).waitFor();
    expect(await inState('active')).toEqual([next]);
  });

  it('are revoked and replaced, also the active one, and the user stays signed in', async () => {
    const { page, open } = await visitAs(await staff());
    await open('/signing-keys');
    const waiting = await createKey(page);
    await expectAccessible(page);
    await changeColorScheme(page, 'dark');
    await expectAccessible(page);
    await chooseRowAction(rowOf(page, waiting), 'Revoke');
    const dialog = page.getByRole('dialog', { name: /^Revoke / });
    await dialog.getByText('no token becomes invalid').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await rowOf(page, waiting).getByText('Revoked', { exact: true }).first().waitFor();
    expect(await inState('revoked')).toContain(waiting);

    const [active = ''] = await inState('active');
    await chooseRowAction(rowOf(page, active), 'Revoke');
    await dialog.getByText('All tokens that it signed become invalid immediately').waitFor();
    await dialog.getByText('A new key takes over at once').waitFor();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await rowOf(page, active).getByText('Revoked', { exact: true }).first().waitFor();
    expect(await publishedKids(app().app.publicUrl)).not.toContain(active);
    const [next = ''] = await inState('active');
    await rowOf(page, next).getByText('Active', { exact: true }).waitFor();
    expect(
      await rowOf(page, active)
        .getByRole('button', { name: /^Actions/ })
        .count(),
    ).toBe(0);

    // A ready key replaces a revoked one.
    const kid = await createKey(page);
    await makeReady();
    await page.reload();
    await chooseRowAction(rowOf(page, next), 'Revoke');
    await dialog.getByText(`Key ${kid.slice(0, 8)} takes over at once`).waitFor();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await rowOf(page, kid).getByText('Active', { exact: true }).waitFor();
    expect(await inState('active')).toEqual([kid]);
  });

  it('are shown as removed even if the local clock is ahead', async () => {
    const { page, open } = await visitAs(await staff());
    const removeTime = Date.now() + clock.aheadMs + 60_000;
    const kid = `retired-${'x'.repeat(35)}`;
    await changeAsOtherProcess(app().app.inside.db, async (trx) => {
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
    });
    await page.clock.install({ time: removeTime + 60_000 });
    await open('/signing-keys');
    await rowOf(page, kid).getByText('Published until').waitFor();
    clock.aheadMs += 60_000;
    // The page asks again every few seconds.
    await page.clock.fastForward(5000);
    await rowOf(page, kid).getByText('Removed', { exact: true }).first().waitFor();
  });

  it('are accessible on a phone and in dark mode', async () => {
    const { page, open } = await visitAs(await staff(['signing_keys:read']), phone);
    await open('/signing-keys');
    await page.getByRole('img', { name: 'Timeline of the keys' }).waitFor();
    await rowOf(page).nth(2).waitFor();
    expect(await page.getByRole('button', { name: /Create|Actions/ }).count()).toBe(0);
    expect(await overhangOf(page)).toBe(0);
    await expectAccessible(page);
    await changeColorScheme(page, 'dark');
    await expectAccessible(page);
  });
});
