// The docs site: the Markdown files of the repository, with a sidebar and a search.
import { defineConfig } from 'vitepress';
import { keepKnownLinks } from './known-links.ts';
import { writeLlmsTxt } from './llms-txt.ts';
import { rewrites, sidebar } from './pages.ts';

export default defineConfig({
  title: 'Latchkey',
  description: 'Issues short-lived access tokens and shares documents by link.',
  lang: 'en',
  srcDir: '..',
  srcExclude: ['test/**', 'data/**', 'coverage/**'],
  rewrites,
  cleanUrls: true,
  // The addresses of a service on the reader's machine. Other broken links end the build.
  ignoreDeadLinks: 'localhostLinks',
  lastUpdated: false,
  markdown: { config: keepKnownLinks },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Tour', link: '/tour' },
      { text: 'Guides', link: '/guides/verify-tokens' },
      { text: 'API', link: '/api' },
      { text: 'Operations', link: '/operations' },
    ],
    sidebar,
  },
  buildEnd: writeLlmsTxt,
});
