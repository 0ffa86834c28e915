// The kinds of documents other than PDFs and pictures, in a real browser.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { desktop, overhangOf, takePicture } from '../support/browser-pages.ts';
import { expectAccessible, expectContrast } from '../support/console-suite.ts';
import { makeWav, recordWebm } from '../support/media-files.ts';
import { useViewer } from '../support/viewer-suite.ts';

const { read, share } = useViewer();

/** The state of the player: whether it plays, and the duration in seconds. */
const player = (page: Page, expression: string) =>
  page.evaluate<number>(`(() => {
    const player = document.querySelector('video, audio');
    return ${expression};
  })()`);

async function open(
  content: string | Buffer,
  name: string,
  options: BrowserContextOptions = desktop,
) {
  const link = await share(Buffer.from(content), name);
  const reader = await read(options);
  await reader.page.goto(link.url);
  await reader.page.getByText(/^Document loaded/).waitFor({ state: 'attached' });
  return { ...reader, link };
}

describe('the viewer shows', () => {
  it('plain text with its white space, and never as HTML', async () => {
    const text = 'First line\n\tindented  <b>not bold</b>\n<script>alert(1)</script>\nÄ 漢';
    const { page, complaints } = await open(text, 'notes.txt');
    expect(await page.locator('#viewer pre').textContent()).toBe(text);
    expect(await page.locator('#viewer :is(b, script)').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('UTF-16 text', async () => {
    const { page } = await open(Buffer.from('\ufeffGrüße', 'utf16le'), 'gruss.txt');
    expect(await page.locator('#viewer pre').textContent()).toBe('Grüße');
  });

  it('Windows-1252 text', async () => {
    const { page } = await open(Buffer.from('Gr\xfc\xdfe f\xfcr 5 \x80', 'latin1'), 'gruss.txt');
    expect(await page.locator('#viewer pre').textContent()).toBe('Grüße für 5 €');
  });

  it('HTML and source code as text', async () => {
    const { page, complaints } = await open('<script>alert(1)</script>', 'page.html');
    expect(await page.locator('#viewer pre').textContent()).toBe('<script>alert(1)</script>');
    expect(complaints).toEqual([]);
  });

  it('JSON with indentation and the digits of its numbers', async () => {
    const json = '{"id":12345678901234567890,"a":[],"b":[1,{"c":"x:{\\"y\\"}"}]}';
    const { page } = await open(json, 'data.json');
    expect(await page.locator('#viewer pre').textContent()).toBe(
      '{\n  "id": 12345678901234567890,\n  "a": [],\n  "b": [\n    1,\n    {\n' +
        '      "c": "x:{\\"y\\"}"\n    }\n  ]\n}',
    );
  });

  it('JSON that is invalid, or deeper than memory permits, as it is', async () => {
    for (const json of ['{"a":', `${'['.repeat(300_000)}${']'.repeat(300_000)}`]) {
      const { page } = await open(json, 'data.json');
      expect(await page.locator('#viewer pre').textContent()).toBe(json);
    }
  });

  it('a video', async () => {
    const webm = await recordWebm((await read()).page);
    const { page, complaints, requests } = await open(webm, 'film.webm');
    await player(page, '(player.muted = true, void player.play(), 0)');
    await expect.poll(() => player(page, 'player.currentTime')).toBeGreaterThan(0);
    expect(await player(page, 'player.videoWidth')).toBe(320);
    expect(await page.locator('video').getAttribute('aria-label')).toBe('film.webm');
    expect(requests.filter((request) => request.endsWith('/file')).length).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
    await takePicture(page, 'type-video');
  });

  it('a recording, of which it fetches the parts that are played', async () => {
    const wav = makeWav(1_500);
    const { page, complaints } = await open(wav, 'tone.wav');
    expect(await player(page, 'player.duration')).toBe(1_500);
    const answer = page.waitForResponse(async (response) => {
      const range = (await response.request().allHeaders()).range ?? '';
      return /^bytes=[1-9]/.test(range) && response.status() === 206;
    });
    await player(page, '(player.currentTime = 1_400)');
    await answer;
    await expect.poll(() => player(page, 'player.seeking ? 0 : player.currentTime')).toBe(1_400);
    expect(complaints).toEqual([]);
    await takePicture(page, 'type-audio');
  });

  it('an SVG image, whose script does not run', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30" onload="alert(1)">' +
      '<script>alert(1)</script><style>rect { fill: teal }</style>' +
      '<image href="https://www.example.com/x.png"/><rect width="40" height="30"/></svg>';
    const { page, complaints } = await open(svg, 'logo.svg');
    await page.locator('#viewer .picture img').waitFor();
    expect(complaints).toEqual([]);
    await takePicture(page, 'type-svg');
  });

  it('an SVG image without a size as large as the window, and others in their size', async () => {
    const svg = (size: string) =>
      `<svg xmlns="http://www.w3.org/2000/svg" ${size}><rect width="40" height="30"/></svg>`;
    const sizeOf = async (size: string) => {
      const { page } = await open(svg(size), 'drawing.svg');
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

it.each([
  ['text', 'notes.txt', 'Dear reader,\n\n\tthis is plain text.\n'.repeat(20)],
  [
    'json',
    'data.json',
    JSON.stringify({ name: 'Latchkey', tags: ['a', 'b'], deep: { x: [1, 2] } }),
  ],
  ['markdown', 'notes.md', markdown],
  ['table', 'payments.csv', table],
  ['audio', 'tone.wav', makeWav(60)],
])(
  '%s has no accessibility violations in any size and color scheme',
  async (kind, name, content) => {
    const { page } = await open(content, name);
    for (const [size, width, height] of [
      ['phone', 390, 844],
      ['laptop', 1024, 768],
      ['desktop', 1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height });
      await expectAccessible(page);
      expect(await overhangOf(page)).toBe(0);
      await takePicture(page, `type-${kind}-${size}`);
    }
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectContrast(page);
    await takePicture(page, `type-${kind}-dark`);
    await page.keyboard.press('End');
    const focused = await page.evaluate<string>('document.activeElement.id');
    expect(focused).toBe(kind === 'audio' ? '' : 'viewer');
  },
);
