// Readers who accept an agreement, and readers who are remembered on the device.
import { beforeAll, expect, it } from 'vitest';
import { desktop, overhangOf, phone } from '../support/browser-pages.ts';
import { answer, expectAsked, expectDocument, press } from '../support/gate-pages.ts';
import { codesFor, lastCode } from '../support/gate-visitor.ts';
import { makePdf } from '../support/pdf.ts';
import { itHoldsFor } from '../support/rule.ts';
import { makeLink, upload } from '../support/sharing-api.ts';
import { useViewer } from '../support/viewer-suite.ts';

const { app, read } = useViewer();

const agreement =
  '# Terms\n\nKeep it **secret**.\n\n![x](https://example.com/x.png) <script>1</script>';

let documentId: string;
beforeAll(async () => {
  documentId = (await upload(app(), makePdf({ pages: 2, text: 'The terms' }), 'terms.pdf')).id;
});
const share = (fields: Record<string, unknown>) => makeLink(app(), documentId, fields);

const screens = [
  ['desktop', desktop],
  ['phone', phone],
] as const;

/** Opens the link of an agreement, up to the text. */
async function openAgreement(
  agreement: string,
  name: string,
  options?: Parameters<typeof read>[0],
) {
  const { page } = await read(options);
  await page.goto((await share({ agreement })).url);
  const email = `signer-${name}@example.com`;
  await answer(page, 'Email address', email);
  await expectAsked(page, 'Code');
  const converted = page
    .waitForEvent('worker')
    .then((worker) => new Promise((resolve) => worker.once('close', resolve)));
  await answer(page, 'Code', await lastCode(app(), email));
  await converted;
  return { page, text: page.getByRole('region', { name: 'Agreement' }) };
}

itHoldsFor(screens, 2)('an agreement is shown, accepted and followed', async (name, options) => {
  const { page, text } = await openAgreement(agreement, name, options);
  await text.getByRole('heading', { name: 'Terms' }).waitFor();
  expect(await text.locator('strong').textContent()).toBe('secret');
  expect(await text.locator('img, script').count()).toBe(0);
  expect(await overhangOf(page)).toBe(0);
  // Without the checkbox, the browser does not send the form.
  await page.getByRole('button', { name: 'Continue' }).click();
  expect(await page.locator('[name=agreement]:invalid').count()).toBe(1);
  await page.getByLabel('I accept the agreement').check();
  await press(page, 'Continue');
  await expectDocument(page);
});

it('an agreement shows every word that the reader accepts', async () => {
  const hidden = 'The reader owes 5,000 euros.';
  const formatted = [
    '# Terms\n\n1. Keep it.\n2. [x] See <b>all</b> [rules](https://example.org/rules).',
    `<!-- ${hidden} -->\n<details><summary>More</summary>${hidden}</details>`,
    `<div hidden>${hidden}</div>`,
    'See <https://example.org/a> and ![Seal](https://example.org/s.png).',
    '7. The fee in euros is\n500000. It is due at once.',
  ].join('\n\n');
  const shown = await openAgreement(formatted, 'html');
  await shown.text.getByRole('heading', { name: 'Terms' }).waitFor();
  const words = (await shown.text.textContent()) ?? '';
  expect(words.split(hidden)).toHaveLength(4);
  // Markdown numbers the items after the first one itself.
  const numbers = shown.text
    .locator('li')
    .evaluateAll((all) => all.map((item) => Number(item.getAttribute('value'))));
  expect(await numbers).toEqual([1, 2, 7, 500_000]);
  expect(words).toContain('rules (https://example.org/rules).');
  expect(words).toContain('Seal (https://example.org/s.png)');
  expect(await shown.text.locator('details, b, img').count()).toBe(0);

  const source = [
    `# Terms\n\n[a]: https://example.org "${hidden}"`,
    `# Terms\n\n[rules](https://example.org "${hidden}")`,
    `# Terms\n\n\`\`\`${hidden}\nKeep it.\n\`\`\``,
    `# Terms\n\n| A |\n|---|\n| b | ${hidden} |`,
    '# Terms\n\n| A |\n|---|\n| 5 | € |',
  ];
  for (const [i, text] of source.entries()) {
    const { text: region } = await openAgreement(text, `source-${i}`);
    expect((await region.textContent())?.trim()).toBe(text);
  }
});

itHoldsFor(screens, 2)('a reader opens another link without a code', async (name, options) => {
  const email = `remembered.${name}@example.com`;
  const verified = { email_required: true, email_verification_required: true };
  const [first, second, third] = [
    await share(verified),
    await share(verified),
    await share(verified),
  ];
  const { page, complaints } = await read(options);
  const look = async (what: string) => {
    expect(await overhangOf(page), what).toBe(0);
  };
  await page.goto(first.url);
  const box = page.getByLabel('Remember me on this device');
  expect(await box.isChecked()).toBe(false);
  const target = await page.locator('label.accept').boundingBox();
  expect(target?.height).toBeGreaterThanOrEqual(24);
  await page.getByText('Remember me on this device').click();
  await look('asked');
  await answer(page, 'Email address', email);
  await answer(page, 'Code', await lastCode(app(), email));
  await expectDocument(page);

  await page.goto(second.url);
  await page.getByText('so you need no code').waitFor();
  expect(await page.getByLabel('Email address').inputValue()).toBe(email);
  await look('known');
  await press(page, 'Continue');
  await expectDocument(page);
  expect(await codesFor(app(), email)).toHaveLength(1);

  await page.goto(third.url);
  await press(page, 'Forget me on this device');
  await expectAsked(page, 'Email address');
  expect(await page.getByLabel('Email address').inputValue()).toBe('');
  expect(await box.isChecked()).toBe(false);
  expect(complaints).toEqual([]);
});
