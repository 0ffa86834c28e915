// The pages of the docs site: the file of each page, its address and its place in the sidebar.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');

/** `about` is the note of the page in llms.txt. */
type Page = { readonly text: string; readonly file: string; readonly about?: string };
type Group = { readonly text: string; readonly pages: readonly Page[] };

/** Returns the text of a file. */
export const readPage = (file: string) => readFileSync(path.join(root, file), 'utf8');

const page = (text: string, file: string, about: string): Page => ({ text, file, about });

export const groups: readonly Group[] = [
  {
    text: 'Start',
    pages: [
      page('Get started', 'README.md', 'start the service, get a token, share a document'),
      page('Tour', 'docs/tour.md', 'the main methods with curl, step by step'),
      page('The console', 'docs/console.md', 'pictures of every page'),
      page('What readers see', 'docs/readers.md', 'pictures of the gate, the viewer, the mails'),
      page('How sharing works', 'docs/sharing.md', 'links, gates, the viewer, views, insight'),
    ],
  },
  {
    text: 'Guides',
    pages: [
      page(
        'Verify tokens in your service',
        'docs/guides/verify-tokens.md',
        'with the JWKS, or by asking Latchkey',
      ),
      page(
        'The first day',
        'docs/guides/first-day.md',
        'from an empty installation to the first token and the first reader, with pictures',
      ),
      page(
        'Send and correct a deck',
        'docs/guides/send-a-deck.md',
        'one link for each reader, a new version behind the same links, what each person read',
      ),
      page(
        'Delete, restore, erase',
        'docs/guides/delete-and-erase.md',
        'deletions that can be undone, erasing a person, exporting your data',
      ),
      page(
        'Rotate without downtime',
        'docs/guides/rotate-without-downtime.md',
        'client secrets, API keys, signing keys, the master key',
      ),
      page(
        'Leaks and leavers',
        'docs/guides/leaks-and-leavers.md',
        'ending access after a leak or when a person leaves, and what a token did',
      ),
      page(
        'Clients without a shared secret',
        'docs/guides/client-keys.md',
        'a key pair and signed assertions instead of a client secret',
      ),
      page(
        'No secrets in CI',
        'docs/guides/no-secrets-in-ci.md',
        'tokens of GitHub Actions, Kubernetes and SPIFFE instead of a client secret',
      ),
      page(
        'One token per service',
        'docs/guides/one-token-per-service.md',
        'audiences, so that no service can use a token at another one',
      ),
      page(
        'Agents that act for people',
        'docs/guides/agents-that-act-for-people.md',
        'token exchange: a client acts for a person or a customer',
      ),
      page(
        'Passkeys and second factors',
        'docs/guides/sign-in.md',
        'add passkeys, and require a second factor',
      ),
      page(
        'Company sign-in',
        'docs/guides/company-sign-in.md',
        'sign in with Keycloak, Entra, Google or Okta, and without passwords',
      ),
      page('Gate a document', 'docs/guides/gate-a-document.md', 'choose who can open a link'),
      page(
        'Custom domains',
        'docs/guides/custom-domains.md',
        'links under the host name of a workspace, with Caddy',
      ),
      page(
        'Configuration as code',
        'docs/guides/as-code.md',
        'clients, audiences and customers in YAML files, applied by a pipeline',
      ),
      page('Go to production', 'docs/guides/production.md', 'a list for the first installation'),
      page(
        'Move from Hydra or Keycloak',
        'docs/guides/move-client-credentials.md',
        'what changes for OAuth 2.0 client credentials, step by step',
      ),
    ],
  },
  {
    text: 'Reference',
    pages: [
      page('API', 'docs/api.md', 'every method with its path, scope and callers'),
      page('Command line', 'docs/cli.md', 'every command, exit statuses, shell completion'),
      page('Client libraries', 'docs/clients.md', 'npm packages, Python, Go'),
      page('@latchkey/client', 'clients/client/README.md', 'calls Latchkey from Node and browsers'),
      page('@latchkey/cli', 'clients/cli/README.md', 'the command line without the service'),
      page('@latchkey/verify', 'clients/verify/README.md', 'verifies tokens offline in Node'),
      page('Errors', 'docs/errors.md', 'every error code'),
      page('Settings', 'docs/settings.md', 'every environment variable'),
      page('Comparison', 'docs/comparison.md', 'with Papermark and DocSend'),
    ],
  },
  {
    text: 'Operations',
    pages: [
      page(
        'Operations',
        'docs/operations.md',
        'upgrades, PostgreSQL, S3, TLS, backups, keys, limits, health, mail',
      ),
      page('Deployment', 'deploy/README.md', 'image, compose, Helm chart, systemd unit'),
    ],
  },
  {
    text: 'Project',
    pages: [
      page('Architecture', 'docs/architecture.md', 'the parts, the path of a request, the words'),
      page('Dependencies', 'docs/dependencies.md', 'the reason for each library'),
      page('Known vulnerabilities', 'docs/vulnerabilities.md', 'of dependencies, explained'),
      page('Stability', 'docs/stability.md', 'what stays compatible, and how deprecation works'),
      page('Releasing', 'docs/releasing.md', 'the checks and steps of a release'),
      page('Speed and memory', 'bench/README.md', 'benchmarks and their results'),
      page('Changes', 'CHANGELOG.md', 'by version, with notes for upgrades'),
      page('Contributing', 'CONTRIBUTING.md', 'set up, test, write, add an rpc'),
      page('Security', 'SECURITY.md', 'report a vulnerability, protections and their limits'),
    ],
  },
  { text: 'Decisions', pages: decisions() },
];

function decisions(): Page[] {
  const folder = 'docs/decisions';
  const files = readdirSync(path.join(root, folder)).filter((name) => /^\d{4}-/.test(name));
  return [
    page('All decisions', `${folder}/README.md`, 'each in one line'),
    ...files.sort().map((name) => {
      const file = `${folder}/${name}`;
      return { text: titleOf(file), file };
    }),
  ];
}

function titleOf(file: string): string {
  return /^# (.+)$/m.exec(readPage(file))?.[1] ?? file;
}

/** Returns the file that VitePress writes for a page, such as `guides/production.md`. */
function routeFile(file: string): string {
  if (file === 'README.md') return 'start.md';
  const name = file.replace(/^docs\//, '').replace(/^clients\/(.+)\/README\.md$/, 'packages/$1.md');
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

const sidebarWith = (decisionsMax: number) =>
  groups.map(({ text, pages }) => ({
    text,
    items: pages
      .slice(0, text === 'Decisions' ? decisionsMax : undefined)
      .map((one) => ({ text: one.text, link: addressOf(one.file) })),
  }));

/** Only the pages of decisions list every decision. */
export const sidebar = { '/decisions/': sidebarWith(Infinity), '/': sidebarWith(1) };
