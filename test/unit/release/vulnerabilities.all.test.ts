// npm asks a registry on this machine, which knows one advisory.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkVulnerabilities } from '../../../scripts/release/vulnerabilities.ts';
import { newReleaseProject } from './release-project.ts';

const id = 'GHSA-aaaa-bbbb-cccc';
const advisory = {
  id: 1,
  url: `https://github.com/advisories/${id}`,
  title: 'Reads too much',
  severity: 'high',
  vulnerable_versions: '<=3.0.0',
};
const bulk = '/-/npm/v1/security/advisories/bulk';

const versions: Record<string, object> = {
  '/indirect': { '3.0.0': { version: '3.0.0' } },
  '/loaded': { '1.0.0': { version: '1.0.0', dependencies: { indirect: '3.0.0' } } },
};

const registry = createServer((request, response) => {
  const { url = '' } = request;
  request.resume().on('end', () => {
    const packument = { name: url.slice(1), versions: versions[url] };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(url === bulk ? { indirect: [advisory] } : packument));
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
});
afterAll(() => registry.close());

const header = '| package | advisory | date | reason |\n|---|---|---|---|\n';
const today = new Date('2026-11-23');

async function check(port: number, rows: string) {
  const project = await newReleaseProject();
  await project.write('.npmrc', `registry=http://127.0.0.1:${port}/\nfetch-retries=0\n`);
  await project.write('docs/vulnerabilities.md', header + rows);
  const { findings } = await checkVulnerabilities(project.root, today);
  return findings.map(({ level, text }) => `${level}: ${text}`);
}

const portOf = () => (registry.address() as AddressInfo).port;

test('a vulnerability needs an explanation', async () => {
  expect(await check(portOf(), '')).toEqual([
    expect.stringMatching(`problem: indirect: Reads too much .*${id}`),
  ]);
  expect(await check(portOf(), `| indirect | ${id} | 2026-11-01 | Not called |\n`)).toEqual([]);
  expect(await check(portOf(), `| indirect | ${id} | soon | |\n`)).toEqual([
    expect.stringContaining('needs an id, a date and a reason'),
  ]);
});

test('an outdated explanation causes a warning', async () => {
  const rows = [
    `| indirect | ${id} | 2026-01-01 | Not called |`,
    '| former | GHSA-dddd-eeee-ffff | 2026-11-01 | Not called |',
  ];
  expect(await check(portOf(), `${rows.join('\n')}\n`)).toEqual([
    expect.stringMatching(/^warning: .*indirect.* 326 days ago/),
    expect.stringMatching(/^warning: .*former.* no longer reported/),
  ]);
});

test('a registry that does not answer leaves the check open', async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  expect(await check(port, '')).toEqual([expect.stringMatching(/^unknown: .*ECONNREFUSED/)]);
});
