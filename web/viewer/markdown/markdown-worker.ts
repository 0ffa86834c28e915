/** Converts Markdown to HTML, which is not sanitized yet. A worker, so that it can be stopped. */
import { Marked } from 'marked';
import { html } from '../../../src/base/http/html.ts';

const marked = new Marked({
  async: false,
  gfm: true,
  renderer: {
    // The name of the document is the heading of the first level.
    heading({ tokens, depth }) {
      const level = Math.min(6, depth + 1);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    image: ({ text }) => html`<span>${text === '' ? 'Image' : `Image: ${text}`}</span>`.text,
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  },
});

addEventListener('message', ({ data }: MessageEvent<string>) => {
  postMessage(marked.parse(data, { async: false }));
});
