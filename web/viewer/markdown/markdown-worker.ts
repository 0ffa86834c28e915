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

const documents = new Marked({
  async: false,
  gfm: true,
  renderer: {
    ...sharedRenderers,
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

addEventListener('message', ({ data: { text, showsAll } }: MessageEvent<MarkdownRequest>) => {
  postMessage((showsAll ? agreements : documents).parse(text, { async: false }));
});
