/** Converts Markdown to HTML, which is not sanitized yet. A worker, so that it can be stopped. */
import { Marked, type RendererObject } from 'marked';
import { html } from '../../../src/base/http/html.ts';

export type MarkdownOrder = { readonly text: string; readonly showsAll: boolean };

const common: RendererObject = {
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
    ...common,
    image: ({ text }) => html`<span>${text === '' ? 'Image' : `Image: ${text}`}</span>`.text,
  },
});

/** Shows HTML as text, and the addresses of links and images. */
const agreements = new Marked({
  async: false,
  gfm: true,
  renderer: {
    ...common,
    html: ({ text, block }) => (block ? html`<p>${text}</p>\n` : html`${text}`).text,
    image: ({ text, href }) => html`${text} (${href})`.text,
    link({ tokens, href, raw }) {
      const address = raw.startsWith('[') ? html` (${href})`.text : '';
      return `${html`<a href="${href}">`.text}${this.parser.parseInline(tokens)}</a>${address}`;
    },
  },
});

addEventListener('message', ({ data: { text, showsAll } }: MessageEvent<MarkdownOrder>) => {
  postMessage((showsAll ? agreements : documents).parse(text, { async: false }));
});
