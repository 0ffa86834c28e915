/**
 * Converts Markdown to elements. Nothing in them loads a resource or runs code: the sanitizer
 * permits a list of elements without styles, images and names.
 */
import DOMPurify from 'dompurify';
import { startWorker } from '../shell/trusted-types.ts';
import workerUrl from './markdown-worker.ts?worker&url';

const tags = [
  ...['h2', 'h3', 'h4', 'h5', 'h6', 'p', 'blockquote', 'pre', 'code', 'hr', 'br', 'div', 'span'],
  ...['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'details', 'summary', 'a', 'em', 'strong', 'b', 'i'],
  ...['del', 's', 'ins', 'u', 'sub', 'sup', 'kbd', 'mark', 'q', 'cite', 'samp', 'var', 'small'],
  ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
];

const attributes = ['href', 'align', 'colspan', 'rowspan', 'start', 'open'];

/** Some texts take minutes. Their readers see the source instead. */
const convertMilliseconds = 5_000;

/** Returns undefined if the conversion fails or takes too long. */
export async function renderMarkdown(text: string): Promise<DocumentFragment | undefined> {
  const html = await convertMarkdown(text);
  if (html === undefined) return undefined;
  const fragment = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: attributes,
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll('a')) restrictLink(link);
  for (const table of fragment.querySelectorAll('table')) makeScrollable(table);
  return fragment;
}

function convertMarkdown(text: string): Promise<string | undefined> {
  const worker = startWorker(workerUrl);
  const converted = new Promise<string | undefined>((resolve) => {
    worker.addEventListener('message', ({ data }: MessageEvent<string>) => resolve(data));
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      resolve(undefined);
    });
    setTimeout(() => resolve(undefined), convertMilliseconds);
  });
  worker.postMessage(text);
  return converted.finally(() => worker.terminate());
}

const protocols = ['http:', 'https:', 'mailto:'];

/** Keeps the text of a link that a browser must not follow, or that leads into this service. */
function restrictLink(link: HTMLAnchorElement): void {
  const href = link.getAttribute('href') ?? '';
  const url = URL.canParse(href) ? new URL(href) : undefined;
  if (!url || !protocols.includes(url.protocol) || url.host === location.host) {
    link.replaceWith(...link.childNodes);
    return;
  }
  link.target = '_blank';
  link.rel = 'noopener noreferrer nofollow';
}

function makeScrollable(table: HTMLTableElement): void {
  const scroller = document.createElement('div');
  scroller.className = 'wide';
  scroller.tabIndex = 0;
  scroller.role = 'region';
  scroller.ariaLabel = 'Table';
  table.replaceWith(scroller);
  scroller.append(table);
}
