// The pages of the docs site: the file of each page, its address and its place in the sidebar.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');

type Page = { readonly text: string; readonly file: string };
type Group = { readonly text: string; readonly pages: readonly Page[] };

/** Returns the text of a file. */
export const readPage = (file: string) => readFileSync(path.join(root, file), 'utf8');

const page = (text: string, file: string): Page => ({ text, file });

export const groups: readonly Group[] = [
  {
    text: 'Start',
    pages: [
      page('Get started', 'README.md'),
      page('Tour', 'docs/tour.md'),
      page('The console', 'docs/console.md'),
      page('How sharing works', 'docs/sharing.md'),
    ],
  },
  {
    text: 'Guides',
    pages: [
      page('Verify tokens in your service', 'docs/guides/verify-tokens.md'),
      page('Rotate without downtime', 'docs/guides/rotate-without-downtime.md'),
      page('Gate a document', 'docs/guides/gate-a-document.md'),
      page('Go to production', 'docs/guides/production.md'),
      page('Move from Hydra or Keycloak', 'docs/guides/move-client-credentials.md'),
    ],
  },
  {
    text: 'Reference',
    pages: [
      page('API', 'docs/api.md'),
      page('Command line', 'docs/cli.md'),
      page('Client libraries', 'docs/clients.md'),
      page('Errors', 'docs/errors.md'),
      page('Settings', 'docs/settings.md'),
      page('Comparison', 'docs/comparison.md'),
    ],
  },
  {
    text: 'Operations',
    pages: [page('Operations', 'docs/operations.md'), page('Deployment', 'deploy/README.md')],
  },
  {
    text: 'Project',
    pages: [
      page('Architecture', 'docs/architecture.md'),
      page('Dependencies', 'docs/dependencies.md'),
      page('Known vulnerabilities', 'docs/vulnerabilities.md'),
      page('Releasing', 'docs/releasing.md'),
      page('Speed and memory', 'bench/README.md'),
      page('Changes', 'CHANGELOG.md'),
      page('Contributing', 'CONTRIBUTING.md'),
      page('Security', 'SECURITY.md'),
    ],
  },
  { text: 'Decisions', pages: decisions() },
];

function decisions(): Page[] {
  const folder = 'docs/decisions';
  const files = readdirSync(path.join(root, folder)).filter((name) => /^\d{4}-/.test(name));
  return [
    page('All decisions', `${folder}/README.md`),
    ...files.sort().map((name) => page(titleOf(`${folder}/${name}`), `${folder}/${name}`)),
  ];
}

function titleOf(file: string): string {
  return /^# (.+)$/m.exec(readPage(file))?.[1] ?? file;
}

/** Returns the file that VitePress writes for a page, such as `guides/production.md`. */
function routeFile(file: string): string {
  if (file === 'README.md') return 'start.md';
  const name = file.replace(/^docs\//, '');
  return name.replace(/^(.*)\/README\.md$/, '$1/index.md').toLowerCase();
}

/** Returns the address of a page, such as `/guides/production`. */
export const addressOf = (file: string) =>
  `/${routeFile(file)
    .replace(/\.md$/, '')
    .replace(/(^|\/)index$/, '$1')}`;

const files = ['docs/index.md', ...groups.flatMap(({ pages }) => pages.map(({ file }) => file))];

export const rewrites = Object.fromEntries(files.map((file) => [file, routeFile(file)]));

export const isPage = (file: string) => files.includes(file);

export const sidebar = groups.map(({ text, pages }) => ({
  text,
  collapsed: text === 'Decisions',
  items: pages.map((one) => ({ text: one.text, link: addressOf(one.file) })),
}));
