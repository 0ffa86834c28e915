// llms.txt (https://llmstxt.org): the pages of the site for language models, and all of them in one
// file.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SiteConfig } from 'vitepress';
import { addressOf, groups, readPage } from './pages.ts';

const details = `A running service has its OpenAPI document at \`/openapi.json\`.
All pages are in one file: [llms-full.txt](/llms-full.txt).
`;

export function writeLlmsTxt({ outDir, site }: SiteConfig): void {
  const lists = groups.map(({ text, pages }) => {
    const lines = pages.map(({ text, file, about }) => {
      const link = `- [${text}](${addressOf(file)})`;
      return about === undefined ? link : `${link}: ${about}`;
    });
    // The format defines a section with the name "Optional", which readers may skip.
    return `## ${text === 'Decisions' ? 'Optional' : text}\n\n${lines.join('\n')}\n`;
  });
  const index = [`# ${site.title}\n`, `> ${site.description}\n`, details, ...lists];
  writeFileSync(path.join(outDir, 'llms.txt'), index.join('\n'));

  const pages = groups.flatMap((group) => group.pages.map(({ file }) => readPage(file).trim()));
  writeFileSync(path.join(outDir, 'llms-full.txt'), `${pages.join('\n\n---\n\n')}\n`);
}
