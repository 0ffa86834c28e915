/**
 * Converts Markdown to elements. Nothing in them loads a resource or runs code: the sanitizer
 * permits a list of elements without styles, images and names.
 */
import DOMPurify from 'dompurify';
import { convertText } from '../loading/convert-text.ts';
import { createElement } from '../shell/create-element.ts';
import type { MarkdownRequest } from './markdown-worker.ts';
import workerUrl from './markdown-worker.ts?worker&url';

const tags = [
  ...['h2', 'h3', 'h4', 'h5', 'h6', 'p', 'blockquote', 'pre', 'code', 'hr', 'br', 'div', 'span'],
  ...['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'details', 'summary', 'a', 'em', 'strong', 'b', 'i'],
  ...['del', 's', 'ins', 'u', 'sub', 'sup', 'kbd', 'mark', 'q', 'cite', 'samp', 'var', 'small'],
  ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
];

const attributes = ['href', 'align', 'colspan', 'rowspan', 'start', 'value', 'open'];

/**
 * Returns undefined if the conversion takes too long. With `showsAll`, HTML and the addresses of
 * links are shown as text. The function then also returns undefined if the result lacks a letter, a
 * digit or a currency symbol of the text.
 */
export async function renderMarkdown(
  text: string,
  { showsAll = false } = {},
): Promise<DocumentFragment | undefined> {
  const request: MarkdownRequest = { text, showsAll };
  const html = await convertText(workerUrl, request);
  if (html === undefined) return undefined;
  const fragment = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: attributes,
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  if (showsAll && lettersOf(fragment.textContent) !== lettersOf(withoutMarkers(text))) {
    return undefined;
  }
  const anchors = addAnchors(fragment);
  for (const link of fragment.querySelectorAll('a')) restrictLink(link, anchors);
  for (const table of fragment.querySelectorAll('table')) makeScrollable(table);
  return fragment;
}

const lettersOf = (text: string) => text.replace(/[^\p{L}\p{M}\p{N}\p{Sc}%]/gu, '');

/** Numbers of lists and boxes of tasks are not text of their elements. */
const withoutMarkers = (text: string) =>
  text
    .replace(/^([ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[[xX]\]/gm, '$1')
    .replace(/^([ \t>]*)\d{1,9}(?=[.)]\s)/gm, '$1');

const protocols = ['http:', 'https:', 'mailto:'];

/**
 * Gives each heading an id. Returns the ids by the anchors that a link to the heading has: its text
 * in lower case with hyphens, and a number from the second of the same text.
 */
function addAnchors(fragment: DocumentFragment): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const heading of fragment.querySelectorAll('h2, h3, h4, h5, h6')) {
    const text = (heading.textContent ?? '').trim().toLowerCase();
    const slug = text.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    let anchor = slug;
    // From the last count, because a hostile file has thousands of equal headings.
    let count = counts.get(slug) ?? 0;
    while (ids.has(anchor)) anchor = `${slug}-${++count}`;
    counts.set(slug, count);
    // The prefix keeps the ids of the document apart from those of the page.
    heading.id = `section-${anchor}`;
    ids.set(anchor, heading.id);
  }
  return ids;
}

/**
 * Keeps the text of a link that a browser must not follow, or that leads into this service. A link
 * to a heading of the document stays.
 */
function restrictLink(link: HTMLAnchorElement, anchors: ReadonlyMap<string, string>): void {
  const href = link.getAttribute('href') ?? '';
  const id = href.startsWith('#') ? anchors.get(decodeAnchor(href.slice(1))) : undefined;
  if (id !== undefined) {
    link.href = `#${id}`;
    return;
  }
  const url = URL.canParse(href) ? new URL(href) : undefined;
  if (!url || !protocols.includes(url.protocol) || url.host === location.host) {
    link.replaceWith(...link.childNodes);
    return;
  }
  link.target = '_blank';
  link.rel = 'noopener noreferrer nofollow';
}

function decodeAnchor(text: string): string {
  try {
    return decodeURIComponent(text).toLowerCase();
  } catch {
    return text;
  }
}

function makeScrollable(table: HTMLTableElement): void {
  const properties = { className: 'wide', tabIndex: 0, role: 'region', ariaLabel: 'Table' };
  const scroller = createElement('div', properties);
  table.replaceWith(scroller);
  scroller.append(table);
}
