// Documents of the screenshots. No text of them is real.
import type { Page } from 'playwright-core';

export const releaseNotes = `# Release 4.2

This release makes the **monthly close** shorter. Read the [upgrade guide](https://www.example.com/)
before you install it.

## What is new

1. Invoices in three currencies
2. A report of open orders
   - [x] by customer
   - [ ] by region

> Reports of version 3 open without changes.

| Step | Before | Now |
|---|--:|--:|
| Import of the bank statement | 14 min | 3 min |
| Check of open orders | 9 min | 4 min |

\`\`\`sh
close-month --period 2026-10 --report open-orders
\`\`\`
`;

const customers = ['Northwind', 'Müller & Co', 'Brook Lane Books', 'Harbor Café', 'Alder Tools'];

/** Two months of payments. */
export const payments = [
  'Date,Customer,Invoice,Amount,State',
  ...Array.from({ length: 60 }, (_, at) => {
    const date = new Date(Date.UTC(2026, 8, 1 + at)).toISOString().slice(0, 10);
    const amount = ((at * 7919) % 90_000) / 100 + 40;
    const customer = customers[(at * 3) % customers.length];
    return [date, customer, `R-${1041 + at}`, amount.toFixed(2), at % 7 ? 'paid' : 'open'].join();
  }),
].join('\n');

export const sourceCode = `import { readFile } from 'node:fs/promises';

/** The sum of the open invoices in a file of payments, in cents. */
export async function sumOpenInvoices(path: string): Promise<number> {
  const [, ...lines] = (await readFile(path, 'utf8')).trim().split('\\n');
  return lines
    .map((line) => line.split(','))
    .filter(([, , , , state]) => state === 'open')
    .reduce((sum, [, , , amount = '0']) => sum + Math.round(Number(amount) * 100), 0);
}

console.log(await sumOpenInvoices('payments.csv'));
`;

const room = (x: number, y: number, width: number, height: number, name: string) =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="#fff" stroke="#1a2330" ` +
  `stroke-width="6"/><text x="${x + width / 2}" y="${y + height / 2}" font-size="26" ` +
  `font-family="sans-serif" text-anchor="middle" fill="#364150">${name}</text>`;

export const floorPlan = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="760">
<rect width="1200" height="760" fill="#eef2f7"/>
${room(80, 80, 420, 320, 'Workshop')}${room(500, 80, 260, 320, 'Kitchen')}
${room(760, 80, 360, 600, 'Open office')}${room(80, 400, 280, 280, 'Meeting room')}
${room(360, 400, 400, 280, 'Reception')}
<g stroke="#eef2f7" stroke-width="10"><path d="M540 680h90M420 400h60M560 400h60M760 500v70"/></g>
</svg>`;

const slides = [
  ['Harbor Café', 'A café on every pier'],
  ['Guests', '1,240 a day, 18% more than a year ago'],
  ['Plan', 'Three more piers until 2028'],
  ['Ask', '€ 400,000 for equipment'],
] as const;

const slideStyle = `
  body { margin: 0; font-family: sans-serif; color: #1a2330 }
  section { box-sizing: border-box; height: 540px; padding: 150px 96px 0; break-after: page;
    border-left: 24px solid #1d5bb8 }
  h1 { margin: 0; font-size: 64px } p { margin: 16px 0 0; font-size: 30px; color: #566273 }`;

/** A presentation, which the browser prints. */
export async function printSlides(page: Page): Promise<Buffer> {
  const sections = slides.map(
    ([title, text]) => `<section><h1>${title}</h1><p>${text}</p></section>`,
  );
  await page.setContent(`<style>${slideStyle}</style>${sections.join('')}`);
  return page.pdf({ width: '960px', height: '540px', printBackground: true });
}

/** A logo, as PNG. */
export async function drawLogo(page: Page): Promise<Buffer> {
  await page.setContent(
    '<div id="logo" style="display:inline-block;padding:8px 16px;border-radius:8px;' +
      'background:#0b6e4f;color:#fff;font:600 28px sans-serif">Harbor Café</div>',
  );
  return page.locator('#logo').screenshot();
}
