import { it } from 'vitest';
import { consoles, expectAccessible, fillSignIn } from '../support/console.ts';

const { visit, staff } = consoles();

it('a sign-in lasts through a reload', async () => {
  const { page, open } = await visit();
  await open('/sign-in');
  await expectAccessible(page);
  await fillSignIn(page, await staff());
  await page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();

  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
});
