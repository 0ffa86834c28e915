// Reads the text of a PDF with pdf.js.

// pdf.js needs this, and Node 20 does not have it.
if (!('withResolvers' in Promise)) Object.assign(Promise, { withResolvers });
const { getDocument, Util } = await import('pdfjs-dist/legacy/build/pdf.mjs');

function withResolvers() {
  let resolve = (_value: unknown) => {};
  let reject = (_reason: unknown) => {};
  const promise = new Promise((resolvePromise, rejectPromise) => {
    resolve = resolvePromise;
    reject = rejectPromise;
  });
  return { promise, resolve, reject };
}

export type PageText = {
  /** The texts of the page, each as the PDF draws it. */
  readonly lines: readonly {
    readonly text: string;
    /** Clockwise, as a reader sees it, in degrees. */
    readonly angle: number;
    /** From the left edge and from the top of the page, as shares of its size. */
    readonly at: readonly [x: number, y: number];
  }[];
};

export async function readPages(bytes: Uint8Array): Promise<PageText[]> {
  const task = getDocument({ data: new Uint8Array(bytes), verbosity: 0, useWorkerFetch: false });
  try {
    const pdf = await task.promise;
    const pages: PageText[] = [];
    for (let number = 1; number <= pdf.numPages; number++) {
      const page = await pdf.getPage(number);
      const viewport = page.getViewport({ scale: 1 });
      const { items } = await page.getTextContent();
      const lines = items.flatMap((item) => {
        if (!('str' in item) || item.str.trim() === '') return [];
        const [a, b, , , x, y] = Util.transform(viewport.transform, item.transform) as number[];
        const angle = Math.round((Math.atan2(b ?? 0, a ?? 0) * 180) / Math.PI) + 0;
        const at = [(x ?? 0) / viewport.width, (y ?? 0) / viewport.height] as const;
        return [{ text: item.str, angle, at }];
      });
      pages.push({ lines });
    }
    return pages;
  } finally {
    await task.destroy();
  }
}
