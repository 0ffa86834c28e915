import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  createPageCounter,
  type PageCounterOptions,
} from '../../src/sharing/documents/pages/page-counter.ts';
import type { PdfSource } from '../../src/sharing/documents/pages/program-process.ts';
import {
  bombPdf,
  endlessPdf,
  loopingPdfs,
  lyingPdfs,
  unreadablePdfs,
} from '../support/hostile-pdfs.ts';
import { makePdf } from '../support/pdf.ts';
import { itHoldsFor } from '../support/rule.ts';

/** The program that the global setup builds. */
const file = path.resolve(import.meta.dirname, '../../dist/src/sharing/documents/pages/program.js');
/** So long that a count fails only because of the limit under test. */
const patient = { startMs: 60_000, countMs: 60_000, waitMs: 60_000 };

function counter(limits: PageCounterOptions['limits'], program = file) {
  const made = createPageCounter({ file: program, limits: { ...patient, ...limits } });
  onTestFinished(() => made.stop());
  const count = (source: PdfSource, workspaceId = 'ws_1') => made.count(source, workspaceId);
  return { count, stop: made.stop };
}

function sourceOf(bytes: Buffer) {
  return {
    sizeBytes: bytes.length,
    async *read(offset: number, length: number) {
      yield bytes.subarray(offset, offset + length);
    },
  };
}

/** The counter for cases that need no special limits and do not block the program. */
const shared = createPageCounter({ file, limits: patient });
afterAll(() => shared.stop());
const countShared = (source: PdfSource) => shared.count(source, 'ws_1');

const pdf = sourceOf(makePdf({ pages: 7, text: 'Terms' }));

/** The same with a sparse hole as padding, which needs no memory. */
function hugePdf(gap: number) {
  const bytes = makePdf({ pages: 40, text: 'Terms', padToBytes: 1_000_000 });
  const text = bytes.toString('latin1');
  const tenDigits = (value: number) => String(value).padStart(10, '0');
  const grown = text
    .replace(/\/Length (\d{10})/, (_, length) => `/Length ${tenDigits(Number(length) + gap)}`)
    .replace(/startxref\n(\d{10})/, (_, at) => `startxref\n${tenDigits(Number(at) + gap)}`);
  const middle = 500_000;
  const [head, tail] = [grown.slice(0, middle), grown.slice(middle)].map((half) =>
    Buffer.from(half, 'latin1'),
  ) as [Buffer, Buffer];
  const read = { bytes: 0 };
  const source = {
    sizeBytes: bytes.length + gap,
    async *read(offset: number, length: number) {
      read.bytes += length;
      const piece = Buffer.alloc(length, 'x');
      piece.set(head.subarray(offset, offset + length));
      const tailAt = middle + gap - offset;
      const from = Math.max(0, -tailAt);
      if (tailAt < length) piece.set(tail.subarray(from, length - tailAt), Math.max(0, tailAt));
      yield piece;
    },
  };
  return { source, read };
}

describe('the counting program', () => {
  it('may send any message: the count is 0', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-program-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const program = path.join(folder, 'program.mjs');
    const values = ['null', 'undefined', '7', '{}', '{ kind: "read" }'];
    for (const value of values) {
      await writeFile(program, `process.on('message', () => process.send(${value} ?? null));`);
      expect(await counter({}, program).count(pdf), value).toBe(0);
    }
  });

  it('may fail to start: this count and the next are 0', async () => {
    const { count } = counter({}, 'no\0file');
    expect([await count(pdf), await count(pdf)]).toEqual([0, 0]);
  });
});

describe('the pages of a PDF', () => {
  it('are counted', async () => {
    expect(await countShared(pdf)).toBe(7);
  });

  it('are counted one after the other when many arrive at once', async () => {
    const { count } = counter({});
    const sizes = Array.from({ length: 60 }, (_, i) => i + 1);
    const sources = sizes.map((pages) => sourceOf(makePdf({ pages, text: 'Terms' })));
    const counts = sources.map((source, i) => count(source, `ws_${i % 3}`));
    expect(await Promise.all(counts)).toEqual(sizes);
  });

  it('are counted without reading the whole of a large file', async () => {
    const { source, read } = hugePdf(1_500_000_000);
    expect(await countShared(source)).toBe(40);
    expect(read.bytes).toBeLessThan(2_000_000);
  });

  it('are counted by a new program after an idle one has ended', async () => {
    const { count } = counter({ trailingBodyMs: 0 });
    for (let i = 0; i < 3; i++) expect(await count(pdf)).toBe(7);
  });

  itHoldsFor(unreadablePdfs, 7)('are 0 for an unreadable file', async (_, bytes) => {
    expect(await countShared(sourceOf(bytes))).toBe(0);
    expect(await countShared(pdf)).toBe(7);
  });

  itHoldsFor(lyingPdfs, 2)(
    'are counted correctly in a file with a wrong number or offset',
    async (_, bytes, pages) => {
      expect(await countShared(sourceOf(bytes))).toBe(pages);
    },
  );

  itHoldsFor(loopingPdfs, 6)(
    'are counted in bounded time in a file that loops',
    async (_, bytes) => {
      expect(await countShared(sourceOf(bytes))).toBeLessThan(10);
      expect(await countShared(pdf)).toBe(7);
    },
  );

  it('have a time limit for counting', async () => {
    const { count } = counter({ countMs: 1000 });
    const pages = await count(sourceOf(endlessPdf()));
    expect(pages).toBe(0);
    expect(await countShared(pdf)).toBe(7);
  });

  it('have a memory limit for unpacking', async () => {
    expect(await countShared(sourceOf(bombPdf()))).toBe(0);
    expect(await countShared(pdf)).toBe(7);
  });

  it('are 0 for an unreadable source', async () => {
    // biome-ignore lint/correctness/useYield: it fails before there is something to yield.
    async function* read(): AsyncGenerator<Uint8Array> {
      throw new Error('the disk is broken');
    }
    expect(await countShared({ sizeBytes: 1000, read })).toBe(0);
    expect(await countShared(pdf)).toBe(7);
  });

  it('are 0 if the program cannot start', async () => {
    const { count } = counter({}, path.join(import.meta.dirname, 'no-such-program.js'));
    expect(await count(pdf)).toBe(0);
  });

  it('are 0 after too long a wait', async () => {
    const { count } = counter({ countMs: 1000, waitMs: 100 });
    const endless = count(sourceOf(endlessPdf()));
    expect(await count(pdf)).toBe(0);
    await endless;
  });

  it('are 0 at once if too many wait', async () => {
    const { count, stop } = counter({ waitingMax: 1 });
    let isOver = false;
    const endless = count(sourceOf(endlessPdf())).finally(() => {
      isOver = true;
    });
    const waiting = count(pdf);
    expect(await count(pdf, 'ws_2')).toBe(0);
    expect(isOver).toBe(false);
    stop();
    expect(await Promise.all([endless, waiting])).toEqual([0, 0]);
  });

  it('are counted in turns: a workspace does not wait for all PDFs of another', async () => {
    const { count } = counter({});
    const order: string[] = [];
    const note = (source: PdfSource, workspaceId: string) =>
      count(source, workspaceId).then((pages) => order.push(`${workspaceId}: ${pages}`));
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    /** Cannot be read before all others wait in the queue. */
    const slow: PdfSource = {
      sizeBytes: 1000,
      async *read(_offset, length) {
        await released;
        yield Buffer.alloc(length);
      },
    };
    const counts = [...Array.from({ length: 4 }, () => note(slow, 'ws_1')), note(pdf, 'ws_2')];
    release();
    await Promise.all(counts);
    expect(order).toHaveLength(5);
    expect(order.slice(0, 3)).toContain('ws_2: 7');
  });

  it('of one workspace leave places in the queue for others', async () => {
    const { count, stop } = counter({ waitingMax: 10 });
    const slow = sourceOf(endlessPdf());
    const many = Array.from({ length: 20 }, () => count(slow, 'ws_1'));
    let isRefused = false;
    const other = count(pdf, 'ws_2').finally(() => {
      isRefused = true;
    });
    // Of the twenty, one runs, five wait, and the others were rejected.
    expect(await Promise.all(many.slice(6))).toEqual(Array(14).fill(0));
    expect(isRefused).toBe(false);
    stop();
    await Promise.all([...many, other]);
  });

  it('are 0 once the service stops, also for waiting PDFs', async () => {
    const { count, stop } = counter({});
    const counts = [endlessPdf(), endlessPdf()].map((bytes) => count(sourceOf(bytes)));
    stop();
    expect(await Promise.all(counts)).toEqual([0, 0]);
  });
});
