// Checks for every screen. The list comes from the router, so that new screens are covered.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { desktop, overhangOf, phone } from '../support/browser-pages.ts';
import {
  type ConsoleUser,
  changeColorScheme,
  contentLoaded,
  expectAccessible,
  expectContrast,
  useConsole,
} from '../support/console-suite.ts';
import { addIssuer } from '../support/federation.ts';
import { makeFolder } from '../support/folder-calls.ts';
import { openLink } from '../support/link-views.ts';
import { makePdf } from '../support/pdf.ts';
import { addProvider } from '../support/provider-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import { makeLink, upload } from '../support/sharing-api.ts';

const { app, workspaceId, visitAs, staff } = useConsole();

/** The paths of the screens that a file declares. */
function screensOf(file: string): string[] {
  const name = path.resolve(import.meta.dirname, '../../web/console', file);
  return [...readFileSync(name, 'utf8').matchAll(/\bscreen\(\s*'([^']+)'/g)].map(
    ([, own = '']) => own,
  );
}
const paths = [
  ...screensOf('router.ts'),
  ...screensOf('registry/staff-screens.ts'),
  ...screensOf('registry/workspace-screens.ts').map((own) => `/workspaces/$workspaceId${own}`),
];

let person: ConsoleUser;
let values: Record<string, string>;

beforeAll(async () => {
  person = await staff();
  const document = await upload(app(), makePdf({ pages: 2, text: 'Terms' }), 'terms.pdf');
  const link = await makeLink(app(), document.id, { name: 'For the board', email_required: true });
  await openLink(link);
  await app().app.inside.views.flush();
  const customer = await app()
    .app.inside.db.selectFrom('customers')
    .select('id')
    .executeTakeFirstOrThrow();
  values = {
    workspaceId: workspaceId(),
    documentId: document.id,
    folderId: (await makeFolder(app(), 'Series B')).id,
    linkId: link.id,
    clientId: app().env.CLIENT_ID,
    customerId: customer.id,
    issuerId: await addIssuer(app().app.inside.db),
    userId: person.id,
    providerId: await addProvider(app().app.inside.db),
    email: 'reader@example.com',
  };
});

const addressOf = (template: string) =>
  template.replace(/\$(\w+)/g, (_, name: string) => values[name] ?? `no ${name}`);

const sizes = [
  ['on a desktop', desktop],
  ['on a phone', phone],
] as const;

it('the router has screens', () => {
  expect(paths.length).toBeGreaterThan(15);
  for (const path of ['/account', '/signing-keys', '/workspaces/$workspaceId/settings/api-keys']) {
    expect(paths).toContain(path);
  }
});

/** Opens another screen as a link does, which is faster than loading the whole page again. */
async function goTo(page: Page, screen: string): Promise<void> {
  await page.evaluate(`(() => {
    document.querySelector('h1').setAttribute('data-left', '');
    history.pushState(null, '', '/console${screen}');
  })()`);
  await page.locator('h1:not([data-left])').waitFor();
  await contentLoaded(page);
}

itHoldsFor(sizes, 2)('every screen is accessible', async (_, options) => {
  const { page, open } = await visitAs(person, options);
  await open('/nowhere');
  for (const template of paths) {
    await changeColorScheme(page, 'light');
    await goTo(page, addressOf(template));
    await expectAccessible(page);
    const headings = await page.getByRole('heading', { level: 1 }).allTextContents();
    expect(headings, template).toEqual([
      expect.not.stringMatching(/Page not found|Something went wrong/),
    ]);
    expect(await page.title(), template).toMatch(/^.+ · Latchkey$/);
    expect(await page.getByRole('alert').allTextContents(), template).toEqual([]);
    expect(await overhangOf(page), template).toBe(0);

    await changeColorScheme(page, 'dark');
    await expectContrast(page);
    if (options !== desktop) continue;
    for (const width of [320, 800, 1024, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => overhangOf(page), { message: `${template} ${width} wide` }).toBe(0);
    }
  }
});
