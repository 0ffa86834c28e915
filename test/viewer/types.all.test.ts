// The kinds of documents other than PDFs and pictures, in a real browser.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { overhangOf } from '../support/browser-pages.ts';
import { expectAccessible, expectContrast } from '../support/console-suite.ts';
import { makeWav, recordWebm } from '../support/media-files.ts';
import { useViewer } from '../support/viewer-suite.ts';

const { read, openReader } = useViewer();

/** The state of the player: whether it plays, and the duration in seconds. */
const player = (page: Page, expression: string) =>
  page.evaluate<number>(`(() => {
    const player = document.querySelector('video, audio');
    return ${expression};
  })()`);

/** The file, its name, and the text that the viewer shows. */
const texts: readonly [string | Buffer, string, string][] = [
  // White space stays, and nothing becomes HTML.
  ...(
    [
      ['First line\n\tindented  <b>not bold</b>\n<script>alert(1)</script>\nÄ 漢', 'notes.txt'],
      ['<script>alert(1)</script>', 'page.html'],
    ] as const
  ).map(([text, name]): [string, string, string] => [text, name, text]),
  [Buffer.from('\ufeffGrüße', 'utf16le'), 'utf-16.txt', 'Grüße'],
  [Buffer.from('Gr\xfc\xdfe f\xfcr 5 \x80', 'latin1'), 'windows-1252.txt', 'Grüße für 5 €'],
  // JSON has indentation and keeps the digits of its numbers.
  [
    '{"id":12345678901234567890,"a":[],"b":[1,{"c":"x:{\\"y\\"}"}]}',
    'data.json',
    '{\n  "id": 12345678901234567890,\n  "a": [],\n  "b": [\n    1,\n    {\n' +
      '      "c": "x:{\\"y\\"}"\n    }\n  ]\n}',
  ],
  // JSON that is invalid, or deeper than memory permits, is shown as it is.
  ...['{"a":', `${'['.repeat(300_000)}${']'.repeat(300_000)}`].map(
    (json): [string, string, string] => [json, 'as-it-is.json', json],
  ),
];

it('texts, source code and JSON are shown as text', async () => {
  const { page, show, complaints } = await openReader();
  for (const [content, name, shown] of texts) {
    await show(content, name);
    expect(await page.locator('h1').textContent()).toBe(name);
    expect(await page.locator('#viewer pre').textContent(), name).toBe(shown);
    expect(await page.locator('#viewer :is(b, script)').count(), name).toBe(0);
  }
  expect(complaints).toEqual([]);
});

it('a video plays', async () => {
  const webm = await recordWebm((await read()).page);
  const { page, show, complaints, requests } = await openReader();
  await show(webm, 'film.webm');
  await player(page, '(player.muted = true, void player.play(), 0)');
  await expect.poll(() => player(page, 'player.currentTime')).toBeGreaterThan(0);
  expect(await player(page, 'player.videoWidth')).toBe(320);
  expect(await page.locator('video').getAttribute('aria-label')).toBe('film.webm');
  expect(requests.filter((request) => request.endsWith('/file')).length).toBeGreaterThan(0);
  expect(complaints).toEqual([]);
});

it('a recording is played, and only the parts that are played are fetched', async () => {
  const wav = makeWav(1_500);
  const { page, show, complaints } = await openReader();
  await show(wav, 'tone.wav');
  expect(await player(page, 'player.duration')).toBe(1_500);
  const answer = page.waitForResponse(async (response) => {
    const range = (await response.request().allHeaders()).range ?? '';
    return /^bytes=[1-9]/.test(range) && response.status() === 206;
  });
  await player(page, '(player.currentTime = 1_400)');
  await answer;
  await expect.poll(() => player(page, 'player.seeking ? 0 : player.currentTime')).toBe(1_400);
  expect(complaints).toEqual([]);
});

it('an SVG image runs no script, and has its size or that of the window', async () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30" onload="alert(1)">' +
    '<script>alert(1)</script><style>rect { fill: teal }</style>' +
    '<image href="https://www.example.com/x.png"/><rect width="40" height="30"/></svg>';
  const { page, show, complaints } = await openReader();
  await show(svg, 'logo.svg');
  await page.locator('#viewer .picture img').waitFor();
  expect(complaints).toEqual([]);

  const drawing = (size: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" ${size}><rect width="40" height="30"/></svg>`;
  const sizeOf = async (size: string) => {
    await show(drawing(size), 'drawing.svg');
    const image = page.locator('#viewer .picture img');
    await image.waitFor();
    const box = await image.boundingBox();
    const room = await page.locator('#viewer').boundingBox();
    if (box === null || room === null) throw new Error('the image is not shown');
    return { ...box, share: Math.max(box.width / room.width, box.height / room.height) };
  };
  for (const size of ['viewBox="0 0 40 30"', 'viewBox="0 0 30 300" width="100%"']) {
    const { share } = await sizeOf(size);
    expect(share).toBeGreaterThan(0.9);
    expect(share).toBeLessThanOrEqual(1);
  }
  const wide = await sizeOf('viewBox="0 0 40 30"');
  expect(wide.width / wide.height).toBeCloseTo(4 / 3, 1);
  expect((await sizeOf('width="60.5" height="30"')).width).toBeLessThanOrEqual(61);
  expect(await sizeOf('width="40" viewBox="0 0 40 30"')).toMatchObject({ width: 40, height: 30 });
});

const table = [
  'Date;Customer;Amount;Note',
  ...Array.from(
    { length: 60 },
    (_, i) => `2026-0${(i % 9) + 1}-11;Müller & Co ${i};${i * 37},50;paid`,
  ),
].join('\n');

const markdown =
  '# Release notes\n\nA **short** text with a [link](https://www.example.com/) and `code`.\n\n' +
  '## What is new\n\n1. First\n2. Second\n   - [x] nested\n\n> A quotation.\n\n' +
  '| Feature | Minutes |\n|---|--:|\n| Upload | 3 |\n| Share | 12 |\n\n' +
  '```ts\nexport const answer: number = 42; // long lines wrap\n```\n';

it('no kind of document has accessibility violations in any size or color scheme', async () => {
  const { page, show } = await openReader();
  const json = { name: 'Latchkey', tags: ['a', 'b'], deep: { x: [1, 2] } };
  for (const [kind, name, content] of [
    ['text', 'notes.txt', 'Dear reader,\n\n\tthis is plain text.\n'.repeat(20)],
    ['json', 'data.json', JSON.stringify(json)],
    ['markdown', 'notes.md', markdown],
    ['table', 'payments.csv', table],
    ['audio', 'tone.wav', makeWav(60)],
  ] as const) {
    await page.emulateMedia({ colorScheme: 'light' });
    await show(content, name);
    for (const [width, height] of [
      [390, 844],
      [1024, 768],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height });
      await expectAccessible(page);
      expect(await overhangOf(page), kind).toBe(0);
    }
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectContrast(page);
    await page.keyboard.press('End');
    const focused = await page.evaluate<string>('document.activeElement.id');
    expect(focused, kind).toBe(kind === 'audio' ? '' : 'viewer');
  }
});
