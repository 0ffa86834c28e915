// Links between the files become links between the pages. Links to other files, such as source code,
// become plain text, because the site does not have those files.
import path from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { addressOf, isPage, root } from './pages.ts';

const isElsewhere = (href: string) => /^([a-z]+:|#|\/)/i.test(href);

export function keepKnownLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('known-links', ({ tokens, env }) => {
    const folder = path.dirname(path.relative(root, env.realPath ?? env.path));
    for (const block of tokens) {
      for (const token of block.children ?? []) {
        const href = token.attrGet('href');
        if (token.type !== 'link_open' || href === null || isElsewhere(href)) continue;
        const [target = '', heading] = decodeURI(href).split('#');
        const file = path.join(folder, target);
        if (!isPage(file)) token.attrs = [];
        else token.attrSet('href', addressOf(file) + (heading === undefined ? '' : `#${heading}`));
      }
    }
  });
}
