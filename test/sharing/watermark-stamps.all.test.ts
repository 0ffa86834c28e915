// The stamping of one file, with the program that the global setup builds.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  createWatermarks,
  type UnstampedFile,
  type WatermarkOptions,
} from '../../src/sharing/watermarks/watermarks.ts';
import { bombPdf, loopingPdfs, lyingPdfs, unreadablePdfs } from '../support/hostile-pdfs.ts';
import { makeLockedPdf } from '../support/locked-pdf.ts';
import { makePdf } from '../support/pdf.ts';
import { readPages } from '../support/pdf-text.ts';
import { itHoldsFor } from '../support/rule.ts';
import { makePng } from '../support/sharing-api.ts';

const program = path.resolve(import.meta.dirname, '../../dist/src/sharing/watermarks/program.js');
/** So long that stamping fails only because of the limit under test. */
const patient = { stampMs: 10_000, waitMs: 60_000 };

function stamper(limits: WatermarkOptions['limits'] = {}, file = program) {
  const watermarks = createWatermarks({ file, limits: { ...patient, ...limits } });
  onTestFinished(() => watermarks.stop());
  return watermarks;
}

const shared = createWatermarks({ file: program, limits: patient });
afterAll(() => shared.stop());

const mark = 'reader@example.com · 2026-11-27 06:00 UTC · lnk_1';

function fileOf(bytes: Buffer, more: Partial<UnstampedFile> = {}): UnstampedFile {
  return {
    ...{ contentType: 'application/pdf', sizeBytes: bytes.length, pages: 0, text: mark },
    ...{ workspaceId: 'ws_1', network: '192.0.2.1', signal: new AbortController().signal },
    sha256: randomUUID(),
    async *bytes() {
      yield bytes;
    },
    ...more,
  };
}

async function stamp(bytes: Buffer, more: Partial<UnstampedFile> = {}, watermarks = shared) {
  const stamped = await watermarks.stamp(fileOf(bytes, more));
  const chunks: Uint8Array[] = [];
  for await (const chunk of stamped.bytes()) chunks.push(chunk);
  const whole = Buffer.concat(chunks);
  expect(whole.length).toBe(stamped.sizeBytes);
  return whole;
}

const codeOf = (stamped: Promise<unknown>) =>
  stamped.then(
    () => 'stamped',
    (error: { code?: string }) => error.code ?? String(error),
  );

const pdf = makePdf({ pages: 3, text: 'Terms' });

describe('a watermark', () => {
  it('is on every page, across it and at the bottom, and the content stays', async () => {
    const pages = await readPages(
      await stamp(makePdf({ pages: 300, text: 'Terms' }), { pages: 300 }),
    );
    expect(pages).toHaveLength(300);
    for (const [i, { lines }] of pages.entries()) {
      const marks = lines.filter(({ text }) => text === mark);
      expect(marks.map(({ angle }) => angle)).toEqual([-30, -30, -30, 0]);
      expect(lines.map(({ text }) => text)).toContain(`Terms, page ${i + 1}`);
    }
  });

  const boxes = [
    '/MediaBox [0 0 595 842]',
    '/MediaBox [0 0 595 842] /Rotate 90',
    '/MediaBox [0 0 595 842] /Rotate 180',
    '/MediaBox [0 0 595 842] /Rotate -90',
    '/MediaBox [-100 -50 495 792] /CropBox [0 100 300 500] /Rotate 90',
    '/MediaBox [0 0 595 842] /CropBox [-500 -500 5000 5000]',
  ] as const;
  itHoldsFor(boxes, 6)('is upright within the visible part of a page', async (box) => {
    const text = pdf.toString('latin1').replaceAll('/MediaBox [0 0 595 842]', box);
    // pdf.js and pdf-lib both rebuild the table of objects, whose offsets are wrong now.
    for (const { lines } of await readPages(await stamp(Buffer.from(text, 'latin1')))) {
      const [, , , bottom] = lines.filter((line) => line.text === mark);
      expect(bottom?.angle).toBe(0);
      const [x = 0, y = 0] = bottom?.at ?? [];
      expect([x > 0 && x < 0.5, y > 0.9 && y < 1]).toEqual([true, true]);
    }
  });

  const texts = [
    ['<script>alert(1)</script> & "quoted"', '<script>alert(1)</script> & "quoted"'],
    [') Tj ET Q (', ') Tj ET Q ('],
    ['a\\b\r\nc\0d\u202ee\u{1f600}', 'a\\b??c?d?e??'],
  ] as const;
  itHoldsFor(texts, 3)('shows any text as it is', async (given, shown) => {
    const [page] = await readPages(await stamp(pdf, { text: given }));
    expect(page?.lines.filter(({ text }) => text === shown)).toHaveLength(4);
  });

  it('keeps the watermarks that the file already has', async () => {
    const readers = ['first@example.com', 'second@example.com', 'third@example.com'];
    let stamped = makePdf({ pages: 2, text: 'Terms' });
    for (const text of readers) stamped = await stamp(stamped, { text });
    for (const { lines } of await readPages(stamped)) {
      const texts = lines.map(({ text }) => text);
      for (const reader of readers) expect(texts.filter((text) => text === reader)).toHaveLength(4);
    }
  });

  it('turns an image into a page', async () => {
    const stamped = await stamp(makePng(400, 300), { contentType: 'image/png' });
    const [page, ...others] = await readPages(stamped);
    expect(others).toEqual([]);
    expect(page?.lines.map(({ text }) => text)).toEqual([mark, mark, mark, mark]);
    expect(stamped.toString('latin1')).toMatch(/\/MediaBox \[ ?0 0 300 225 ?\]/);
  });
});

describe('a file that cannot be stamped', () => {
  const refused: [what: string, bytes: Buffer, more?: Partial<UnstampedFile>][] = [
    ['a PDF with a password', makeLockedPdf('Terms', 'secret')],
    ['a PDF that is encrypted with an empty password', makeLockedPdf('Terms', '')],
    ['a PDF with another number of pages', pdf, { pages: 4 }],
    ['no PDF', Buffer.from('no PDF')],
    ['an empty file', Buffer.alloc(0)],
    ['no image', Buffer.from('no image'), { contentType: 'image/png' }],
    ['half an image', makePng(400, 300).subarray(0, 50), { contentType: 'image/png' }],
    ['a damaged JPEG', Buffer.from([0xff, 0xd8, 0xff]), { contentType: 'image/jpeg' }],
    ['an image of 40 gigapixels', makePng(1, 1).fill(0x7f, 16, 24), { contentType: 'image/png' }],
    ['a file that is too large', pdf, { sizeBytes: 101 * 1024 * 1024 }],
    ['a file that is shorter than expected', pdf, { sizeBytes: pdf.length + 1 }],
    ['a file that is longer than expected', pdf, { sizeBytes: pdf.length - 1 }],
    ['an object stream that unpacks to 256 MiB', bombPdf()],
  ];
  itHoldsFor(refused, 13)('is refused', async (_, bytes, more) => {
    expect(await codeOf(stamp(bytes, more))).toBe('conflict');
  });

  const hostile = [...unreadablePdfs, ...lyingPdfs, ...loopingPdfs].map(
    ([what, bytes]) => [what, bytes] as const,
  );
  itHoldsFor(hostile, 15)('is refused, or has the mark on every page', async (_, bytes) => {
    const stamped = await stamp(bytes, {}).catch((error: { code?: string }) => error.code);
    if (typeof stamped !== 'object') return expect(stamped).toBe('conflict');
    expect(stamped.includes(bytes)).toBe(false);
    // pdf.js may refuse the result.
    for (const { lines } of await readPages(stamped).catch(() => [])) {
      expect(lines.filter(({ text }) => text === mark)).toHaveLength(4);
    }
  });

  it('is refused if it takes too long, needs too much memory, or grows too much', async () => {
    // Long enough for the thread that watches the memory to start.
    const long = makePdf({ pages: 5_000, text: 'Terms' });
    const limits = [{ stampMs: 1 }, { memoryBytesMax: 1 }, { stampedBytesMax: 1 }];
    for (const limit of limits) {
      expect(await codeOf(stamp(long, {}, stamper(limit))), JSON.stringify(limit)).toBe('conflict');
    }
  });

  it('is refused at once for a file that was refused before', async () => {
    const watermarks = stamper();
    const [bad] = unreadablePdfs;
    const sha256 = 'digest of the file';
    expect(await codeOf(stamp(bad?.[1] ?? Buffer.alloc(0), { sha256 }, watermarks))).toBe(
      'conflict',
    );
    expect(await codeOf(stamp(pdf, { sha256 }, watermarks))).toBe('conflict');
    expect(await codeOf(stamp(pdf, {}, watermarks))).toBe('stamped');
  });

  it('is refused if the program does not start, and the next file, too', async () => {
    const watermarks = stamper({}, path.join(import.meta.dirname, 'no-such-program.js'));
    for (let i = 0; i < 3; i++) expect(await codeOf(stamp(pdf, {}, watermarks))).toBe('conflict');
  });
});

it('the error of reading the file is passed on, and the next file is stamped', async () => {
  // biome-ignore lint/correctness/useYield: it fails before there is something to yield.
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    throw new Error('the disk is broken');
  };
  await expect(stamp(pdf, { bytes })).rejects.toThrow('the disk is broken');
  expect(await codeOf(stamp(pdf))).toBe('stamped');
});

describe('files that wait', () => {
  /** A file that is not read before `release`. */
  function slow() {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const bytes = async function* () {
      await released;
      yield pdf;
    };
    return { bytes, release };
  }

  it('are stamped in turn, and more than the limit are refused at once', async () => {
    const watermarks = stamper({ processesMax: 1, waitingMax: 2 });
    const { bytes, release } = slow();
    const first = codeOf(stamp(pdf, { bytes }, watermarks));
    const second = codeOf(stamp(pdf, {}, watermarks));
    const other = codeOf(stamp(pdf, { workspaceId: 'ws_2' }, watermarks));
    expect(await codeOf(stamp(pdf, { workspaceId: 'ws_3' }, watermarks))).toBe('unavailable');
    release();
    expect(await Promise.all([first, second, other])).toEqual(['stamped', 'stamped', 'stamped']);
  });

  it('are not stamped for readers who have left', async () => {
    const watermarks = stamper({ processesMax: 1, waitingMax: 2 });
    const { bytes } = slow();
    const reader = new AbortController();
    const { signal } = reader;
    const first = codeOf(stamp(pdf, { bytes, signal }, watermarks));
    const second = codeOf(stamp(pdf, { signal }, watermarks));
    const other = codeOf(stamp(pdf, { workspaceId: 'ws_2' }, watermarks));
    reader.abort();
    expect(await first).toBe(DOMException.ABORT_ERR);
    expect(await second).toBe(DOMException.ABORT_ERR);
    expect(await other).toBe('stamped');
    expect(await codeOf(stamp(pdf, { signal }, watermarks))).toBe(DOMException.ABORT_ERR);
  });

  it('are refused to a network that leaves too many of its stamped files unread', async () => {
    const { sizeBytes } = await shared.stamp(fileOf(pdf));
    for (const limits of [{ heldBytesMax: 2.5 * sizeBytes }, { heldFilesMax: 2.5 }]) {
      const watermarks = stamper(limits);
      const [unread] = [await watermarks.stamp(fileOf(pdf)), await watermarks.stamp(fileOf(pdf))];
      expect(await codeOf(stamp(pdf, {}, watermarks))).toBe('unavailable');
      expect(await codeOf(stamp(pdf, { network: '192.0.2.2' }, watermarks))).toBe('stamped');
      await unread?.close();
      expect(await codeOf(stamp(pdf, {}, watermarks))).toBe('stamped');
    }
  });

  it('are refused to such a network also if they began to wait before', async () => {
    const { sizeBytes } = await shared.stamp(fileOf(pdf));
    for (const limits of [{ heldBytesMax: 2.5 * sizeBytes }, { heldFilesMax: 2.5 }]) {
      const watermarks = stamper({ ...limits, processesMax: 1 });
      const requests = Array.from({ length: 5 }, () => codeOf(watermarks.stamp(fileOf(pdf))));
      const codes = await Promise.all(requests);
      const expected = ['stamped', 'stamped', 'unavailable', 'unavailable', 'unavailable'];
      expect(codes).toEqual(expected);
      expect(await codeOf(stamp(pdf, { network: '192.0.2.2' }, watermarks))).toBe('stamped');
    }
  });

  it('are refused after too long a wait, and when the service stops', async () => {
    const watermarks = stamper({ processesMax: 1, waitMs: 10 });
    const { bytes } = slow();
    const first = codeOf(stamp(pdf, { bytes }, watermarks));
    expect(await codeOf(stamp(pdf, {}, watermarks))).toBe('unavailable');
    watermarks.stop();
    expect(await first).toBe('unavailable');
    expect(await codeOf(stamp(pdf, {}, watermarks))).toBe('unavailable');
  });
});
