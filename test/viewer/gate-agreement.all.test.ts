// The agreement of a link in a browser.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { desktop, newReader, overhangOf, phone } from '../support/browser-pages.ts';
import { lastCode } from '../support/gate-visitor.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { makePdf } from '../support/pdf.ts';
import { makeLink, upload } from '../support/sharing-api.ts';

const agreement =
  '# Terms\n\nKeep it **secret**.\n\n![x](https://example.com/x.png) <script>1</script>';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.remove());

/** Opens the link of a new document up to the text of the agreement. */
async function openAgreement(text: string, reader: string, options = desktop) {
  const document = await upload(test, makePdf({ pages: 1, text: 'The plan' }), 'plan.pdf');
  const link = await makeLink(test, document.id, { agreement: text });
  const { page } = await newReader(await sharedBrowser(), test.app.publicUrl, options);
  onTestFinished(() => page.context().close());
  await page.goto(link.url);
  const email = `signer-${reader}@example.com`;
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Code').waitFor();
  const converted = page
    .waitForEvent('worker')
    .then((worker) => new Promise((resolve) => worker.once('close', resolve)));
  // A complete code submits itself.
  await page.getByLabel('Code').fill(await lastCode(test, email));
  await converted;
  return { page, text: page.getByRole('region', { name: 'Agreement' }) };
}

it.each([
  ['desktop', desktop],
  ['phone', phone],
])('is formatted, accepted and followed by the document on a %s', async (name, options) => {
  const { page, text } = await openAgreement(agreement, name, options);
  await text.getByRole('heading', { name: 'Terms' }).waitFor();
  expect(await text.locator('strong').textContent()).toBe('secret');
  expect(await text.locator('img, script').count()).toBe(0);
  expect(await overhangOf(page)).toBe(0);
  // Without the checkbox, the browser does not send the form.
  await page.getByRole('button', { name: 'Continue' }).click();
  expect(await page.locator('[name=agreement]:invalid').count()).toBe(1);
  await page.getByLabel('I accept the agreement').check();
  await page.getByRole('button', { name: 'Continue' }).click();
  const layer = page.locator('#viewer .page').first().locator('.textLayer');
  await expect.poll(() => layer.textContent()).toBe('The plan, page 1');
});

it('shows every word that the reader accepts', async () => {
  const hidden = 'The reader owes 5,000 euros.';
  const formatted = [
    '# Terms\n\n1. Keep it.\n2. [x] See <b>all</b> [rules](https://example.org/rules).',
    `<!-- ${hidden} -->\n<details><summary>More</summary>${hidden}</details>`,
    `<div hidden>${hidden}</div>`,
    'See <https://example.org/a> and ![Seal](https://example.org/s.png).',
  ].join('\n\n');
  const shown = await openAgreement(formatted, 'html');
  await shown.text.getByRole('heading', { name: 'Terms' }).waitFor();
  const words = (await shown.text.textContent()) ?? '';
  expect(words.split(hidden)).toHaveLength(4);
  expect(words).toContain('rules (https://example.org/rules).');
  expect(words).toContain('Seal (https://example.org/s.png)');
  expect(await shown.text.locator('details, b, img').count()).toBe(0);

  const source = [
    `# Terms\n\n[a]: https://example.org "${hidden}"`,
    `# Terms\n\n[rules](https://example.org "${hidden}")`,
    `# Terms\n\n\`\`\`${hidden}\nKeep it.\n\`\`\``,
    `# Terms\n\n| A |\n|---|\n| b | ${hidden} |`,
  ];
  for (const [i, text] of source.entries()) {
    const { text: region } = await openAgreement(text, `source-${i}`);
    expect((await region.textContent())?.trim()).toBe(text);
  }
});
