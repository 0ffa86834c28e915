// Formats the agreement of a link's gate. Without this script, or if formatting would hide a word,
// the page shows the source.
import { renderMarkdown } from './markdown/render-markdown.ts';

const source = document.querySelector('#agreement > pre');
if (source !== null) void formatAgreement(source);

async function formatAgreement(element: Element): Promise<void> {
  const formatted = await renderMarkdown(element.textContent ?? '', { showsAll: true });
  if (formatted !== undefined) element.replaceWith(formatted);
}
