// Formats the agreement of a link's gate. Without this script, the page shows its source.
import { renderMarkdown } from './markdown/render-markdown.ts';

const source = document.querySelector('#agreement > pre');
if (source !== null) void formatAgreement(source);

async function formatAgreement(element: Element): Promise<void> {
  const formatted = await renderMarkdown(element.textContent ?? '');
  if (formatted !== undefined) element.replaceWith(formatted);
}
