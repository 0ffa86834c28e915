// The screens of staff, opened by a member. test/access.test.ts calls the methods themselves.
import { expect, it } from 'vitest';
import { expectAccessible, useConsole } from '../support/console-suite.ts';
import { findFailures } from '../support/rule.ts';

const { visitAs, member } = useConsole();

const paths = [
  '/clients',
  '/clients/cli_0000000000000000000000',
  '/customers',
  '/customers/cus_0000000000000000000000',
  '/accounts',
  '/signing-keys',
  '/users',
  '/users/usr_0000000000000000000000',
  '/audit',
];

it('the URL of a screen for staff shows a member an error, and no menu has it', async () => {
  const { page, open } = await visitAs(await member('admin'));
  const failures = await findFailures(paths, async (path) => {
    await open(path);
    const problem = page.getByRole('alert').first();
    await problem.getByText('You don’t have access').waitFor();
    await problem.getByText(/Request ID: [\w-]{8,}/).waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Signing keys' }).count()).toBe(0);
    await expectAccessible(page);
  });
  expect(failures).toEqual([]);
});
