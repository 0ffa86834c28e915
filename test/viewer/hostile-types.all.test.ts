// Markdown, tables and texts that are hostile, damaged or very large.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { callSharingApi } from '../support/sharing-api.ts';
import { useViewer } from '../support/viewer-suite.ts';

const { app, openReader } = useViewer();

/** Counts the bytes of the files that the page receives. */
function countBytes(page: Page) {
  let received = 0;
  page.on('response', (response) => {
    if (response.url().endsWith('/file')) received += Number(response.headers()['content-length']);
  });
  /** Returns the bytes since the last call. */
  return () => {
    const bytes = received;
    received = 0;
    return bytes;
  };
}

/** The names of elements and attributes below an element, without repetitions. */
const markupOf = (page: Page, selector: string) =>
  page.evaluate<string[]>(`(() => {
    const elements = [...document.querySelectorAll('${selector} *')];
    const attributes = elements.flatMap((element) => element.getAttributeNames());
    return [...new Set([
      ...elements.map(({ localName }) => localName),
      ...attributes.map((name) => '@' + name),
    ])];
  })()`);

it('Markdown is formatted, or shown as its source if it is too complex', async () => {
  const { page, show, complaints } = await openReader();

  const text =
    '# Title\n\nSome **bold** text and `code`.\n\n- [x] done\n- [ ] open\n\n' +
    '| A | B |\n|---|--:|\n| 1 | 2 |\n\n> quoted\n\n```js\nconst a = "<b>";\n```\n';
  await show(text, 'notes.md');
  const tree = (await page.locator('.markdown').ariaSnapshot()).split('\n');
  expect(tree).toEqual(
    expect.arrayContaining([
      '  - heading "Title" [level=2]',
      expect.stringContaining('strong: bold'),
      expect.stringContaining('listitem: ☑ done'),
      expect.stringContaining('cell "2"'),
      expect.stringContaining('blockquote'),
    ]),
  );
  expect(await page.locator('.markdown pre').textContent()).toBe('const a = "<b>";\n');
  expect(complaints).toEqual([]);

  // Each has another anchor.
  await show('# a\n'.repeat(30_000), 'headings.md');
  expect(await page.locator('.markdown > h2').count()).toBe(30_000);
  expect(await page.locator('.markdown > h2').last().getAttribute('id')).toBe('section-a-29999');

  // A parser of HTML repeats each open element in each paragraph.
  const open = Array.from({ length: 3_000 }, (_, i) => `<i align=${i}>`).join('');
  await show(`${open}\n\n${'<p>x'.repeat(3_000)}`, 'open.md');
  expect(await page.locator('.markdown p').count()).toBe(3_001);

  for (const [what, source] of [
    ['takes minutes to convert', '_a'.repeat(250_000)],
    ['is nested too deeply', '> '.repeat(100_000)],
    ['repeats open elements', '<b><i><u><s><em><tt>'.repeat(3) + '<p>x'.repeat(50_000)],
  ] as const) {
    await show(source, 'complex.md');
    expect(await page.locator('pre.text').textContent(), what).toBe(source);
    expect(await page.locator('.rest').textContent()).toContain('too complex to be formatted');
  }
  expect(complaints).toEqual([]);
});

it('Markdown runs no code and loads nothing', async () => {
  const text = [
    '<script>document.title = "script"</script>',
    '<img src=x onerror="document.title = 1">',
    '<svg onload="document.title = 2"><script>document.title = 3</script></svg>',
    '![picture](https://www.example.com/a.png) <img src="https://www.example.com/b.png" alt="c">',
    '<p style="background: url(https://www.example.com/c.png); color: red" class="x">styled</p>',
    '<style>@import "https://www.example.com/d.css"; body { display: none }</style>',
    '<iframe src="https://www.example.com/"></iframe><object data="x"></object><embed src=x>',
    '<form action="https://www.example.com/" id="viewer"><input name="a"></form>',
    '<video src="https://www.example.com/e.mp4" autoplay></video>',
    '<base href="https://a.example/">',
    '<meta http-equiv="refresh" content="0;url=https://www.example.com/">',
    '<math><mtext><table><mglyph><style><img src=x onerror="document.title = 4">',
    '</style></mglyph></table></mtext></math>',
    '<noscript><p title="</noscript><img src=x onerror=1>"></noscript>',
  ].join('\n\n');
  const { page, show, complaints } = await openReader();
  await show(text, 'hostile.md');
  await page.waitForLoadState('networkidle');
  expect(await page.title()).toBe('hostile.md');
  expect(await page.locator('.markdown').textContent()).toContain('Image: picture');
  const shown = await markupOf(page, '.markdown');
  const harmless = ['p', 'span', 'div', 'table', 'tbody', '@class', '@tabindex', '@role'];
  expect(shown.filter((name) => !harmless.includes(name) && name !== '@aria-label')).toEqual([]);
  // Chromium reports styles and base addresses even while the sanitizer parses them, where they
  // have no effect.
  const parsed = /^(Applying inline style|Setting the document's base URI to \S+) violates /;
  expect(complaints.filter((complaint) => !parsed.test(complaint))).toEqual([]);
});

it('Markdown has only links to other sites, which learn nothing of the reader', async () => {
  const targets = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,<script>1</script>',
    'vbscript:a',
    'file:///etc/passwd',
    'blob:https://a.example/b',
    '/console',
    '//www.example.com/a',
    '#place',
    'https://www.example.com/a?b=c',
    'mailto:jane@example.com',
  ];
  const { origin, host } = new URL(app().app.publicUrl);
  targets.push(`${origin}/console`, `${origin.toUpperCase()}/s/x`, `https://reader@${host}/`);
  const text = targets.map((target) => `[a](<${target}>) <a href="${target}">b</a>`).join('\n\n');
  const { page, show, complaints } = await openReader();
  await show(text, 'links.md');
  const links = await page.evaluate<string[][]>(
    `[...document.querySelectorAll('.markdown a')].map((link) =>
      [link.getAttribute('href'), link.target, link.rel])`,
  );
  const rest = ['_blank', 'noopener noreferrer nofollow'];
  expect(links).toEqual([
    ...[1, 2].map(() => ['https://www.example.com/a?b=c', ...rest]),
    ...[1, 2].map(() => ['mailto:jane@example.com', ...rest]),
  ]);
  expect(complaints).toEqual([]);
});

it('Markdown and texts that are large are shown in part, until the access ends', async () => {
  const { page, show } = await openReader();
  const receivedBytes = countBytes(page);

  const paragraph = `${'word '.repeat(200)}\n\n`;
  const markdown = paragraph.repeat(Math.ceil(50_000_000 / paragraph.length));
  await show(markdown, 'long.md', { allow_download: true });
  const rest = page.locator('.rest');
  expect(await rest.textContent()).toContain('You see the first 500 kB of 50 MB.');
  expect(await rest.getByRole('link', { name: 'Download' }).count()).toBe(1);
  expect(receivedBytes()).toBe(500_000);

  // A text that is not UTF-8 is shown as Windows-1252.
  const damaged = Buffer.concat([Buffer.from('a'.repeat(5_000)), Buffer.from([0xff, 0x62])]);
  await show(damaged, 'damaged.txt');
  expect(await page.locator('.text').textContent()).toBe(`${'a'.repeat(5_000)}ÿb`);
  expect(receivedBytes()).toBe(damaged.length);

  // A character of three bytes lies across the end of each part.
  const text = '漢'.repeat(500_000);
  const link = await show(text, 'long.txt');
  expect(receivedBytes()).toBe(500_000);
  expect(await page.locator('.rest p').textContent()).toBe('You see the first 500 kB of 1.5 MB.');
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => page.locator('.rest p').textContent()).toContain('the first 1 MB');
  expect(await page.locator('.text').textContent()).toBe('漢'.repeat(333_333));

  await callSharingApi(app(), 'DELETE', `/links/${link.id}`);
  await page.getByRole('button', { name: 'Show more' }).click();

  await page.getByText('This link is no longer available').waitFor();
  expect(await page.locator('.text').count()).toBe(0);
});

it('a table has the rows of the file, and a huge one is shown in part', async () => {
  const { page, show, complaints } = await openReader();
  const receivedBytes = countBytes(page);

  const small = '\ufeffName;Amount;Note\r\n"Müller; A";1,5;=SUM(A1:A9)\r\nB;20;"two\nlines"\r\n';
  await show(small, 'data.csv');
  const rows = await page.evaluate<string[][]>(
    `[...document.querySelectorAll('.table tr')].map((row) =>
      [...row.cells].map(({ textContent }) => textContent))`,
  );
  expect(rows).toEqual([
    ['Row', 'Name', 'Amount', 'Note'],
    ['1', 'Müller; A', '1,5', '=SUM(A1:A9)'],
    ['2', 'B', '20', 'two\nlines'],
  ]);
  expect(await page.locator('.rest').count()).toBe(0);
  expect(complaints).toEqual([]);

  const lines = Array.from({ length: 200_000 }, (_, i) => `${i},name ${i},<b>${i * 7}</b>`);
  const text = ['id,name,value', ...lines].join('\n');
  receivedBytes();
  await show(text, 'long.csv');
  await expect.poll(() => page.locator('.table tbody tr').count()).toBe(10_000);
  expect(await page.locator('.rest').textContent()).toBe(
    'You see the first 10,000 rows. The file has more.',
  );
  expect(receivedBytes()).toBeLessThan(text.length / 4);
  await page.locator('.table tbody tr').last().scrollIntoViewIfNeeded();
  const head = await page.locator('.table thead th').nth(1).boundingBox();
  const main = await page.locator('#viewer').boundingBox();
  expect(head?.y).toBe(main?.y);

  // One endless line, or thousands of columns.
  const wide = `${Array.from({ length: 5_000 }, (_, i) => `c${i}`).join()}\n`;
  await show(wide.repeat(400), 'wide.csv');
  await expect.poll(() => page.locator('.table tbody tr').count()).toBe(399);
  expect(await page.locator('.rest').textContent()).toContain('the first 200 columns');
  await show(`"${'x'.repeat(20_000_000)}`, 'quote.csv');
  expect(await page.locator('.rest').textContent()).toContain('The file has more.');
  const first = await page.locator('.table thead').textContent();
  expect(first).toBe(`Row${'x'.repeat(2_000)}…`);
});

it('a table with malformed quotes is read only in part', async () => {
  const { page, show } = await openReader();
  const receivedBytes = countBytes(page);
  await show(`"a"b`.repeat(4_000_000), 'quotes.csv');
  expect(await page.locator('.rest').textContent()).toContain('The file has more.');
  expect(receivedBytes()).toBeLessThan(1_000_000);
});
