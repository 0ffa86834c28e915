/** Converts Markdown to HTML, which is not sanitized yet. A worker, so that it can be stopped. */
import { Marked, type RendererObject } from 'marked';
import { html } from '../../../src/base/http/html.ts';

export type MarkdownRequest = { readonly text: string; readonly showsAll: boolean };

const sharedRenderers: RendererObject = {
  // The name of the document is the heading of the first level.
  heading({ tokens, depth }) {
    const level = Math.min(6, depth + 1);
    return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
  },
  checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
};

/** The HTML in the text that `convertDocument` converts. */
let source = '';

const documents = new Marked({
  async: false,
  gfm: true,
  renderer: {
    ...sharedRenderers,
    html({ text }) {
      source += text;
      return text;
    },
    image: ({ text }) => html`<span>${text === '' ? 'Image' : `Image: ${text}`}</span>`.text,
  },
});

/** Shows HTML as text, the addresses of links and images, and the written number of each item. */
const agreements = new Marked({
  async: false,
  gfm: true,
  renderer: {
    ...sharedRenderers,
    html: ({ text, block }) => (block ? html`<p>${text}</p>\n` : html`${text}`).text,
    image: ({ text, href }) => html`${text} (${href})`.text,
    listitem({ tokens, raw }) {
      const number = /^\s*(\d{1,9})[.)]/.exec(raw)?.[1];
      const value = number === undefined ? '' : ` value="${number}"`;
      return `<li${value}>${this.parser.parse(tokens)}</li>\n`;
    },
    link({ tokens, href, raw }) {
      const address = raw.startsWith('[') ? html` (${href})`.text : '';
      return `${html`<a href="${href}">`.text}${this.parser.parseInline(tokens)}</a>${address}`;
    },
  },
});

/**
 * HTML parsers reopen unclosed elements of these names in each following block, at most three
 * equal ones (HTML §13.2.4.3).
 */
const repeated = /<(b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])[^>]*>?/gi;

/** A browser shows this many elements without a noticeable delay. */
const elementsMax = 400_000;

/** Returns undefined for HTML of which a parser could make too many elements. */
function convertDocument(text: string): string | undefined {
  source = '';
  // Without attributes, elements of one name are equal.
  const html = documents.parse(text, { async: false }).replace(repeated, '<$1>');
  const names = new Set([...source.matchAll(repeated)].map(([, name]) => name?.toLowerCase()));
  return html.split('<').length * (1 + 3 * names.size) > elementsMax ? undefined : html;
}

addEventListener('message', ({ data: { text, showsAll } }: MessageEvent<MarkdownRequest>) => {
  postMessage(showsAll ? agreements.parse(text, { async: false }) : convertDocument(text));
});
