// The docs site: the Markdown files of the repository, with a sidebar and a search.
import { defineConfig } from 'vitepress';
import { keepKnownLinks } from './known-links.ts';
import { writeLlmsTxt } from './llms-txt.ts';
import { readPage, rewrites, sidebar } from './pages.ts';

const { version } = JSON.parse(readPage('package.json'));

/** The mark of the console, as a URL that needs no request. */
const mark = `data:image/svg+xml,${encodeURIComponent(readPage('web/viewer/mark.svg'))}`;

export default defineConfig({
  title: 'Latchkey',
  description: 'Issues short-lived access tokens and shares documents by link.',
  lang: 'en',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: mark }]],
  srcDir: '..',
  srcExclude: ['test/**', 'data/**', 'coverage/**'],
  rewrites,
  cleanUrls: true,
  // The addresses of a service on the reader's machine. Other broken links end the build.
  ignoreDeadLinks: 'localhostLinks',
  lastUpdated: false,
  markdown: { config: keepKnownLinks },
  themeConfig: {
    logo: mark,
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Get started', link: '/start' },
      { text: 'Tour', link: '/tour' },
      { text: 'Guides', link: '/guides/verify-tokens' },
      { text: 'API', link: '/api' },
      { text: 'Operations', link: '/operations' },
      { text: version, link: '/changelog' },
    ],
    sidebar,
    footer: { message: 'MIT license' },
  },
  // Without this, Vite also reads the configuration of the service's pages.
  vite: { configFile: false },
  buildEnd: writeLlmsTxt,
});
