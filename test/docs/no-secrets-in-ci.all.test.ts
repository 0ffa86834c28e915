// Runs the commands of docs/guides/no-secrets-in-ci.md with a fake issuer.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { decodeJwt, type JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import {
  type FakeIssuer,
  gitHubClaims,
  kubernetesClaims,
  sendJson,
  spiffeClaims,
  startFakeIssuer,
} from '../support/fake-issuer.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

let testApp: TestApp;
let folder: string;
let guide: string;
beforeAll(async () => {
  testApp = await startTestApp({ config: { egressNetworks: ['127.0.0.0/8'] } });
  folder = await mkdtemp(path.join(tmpdir(), 'latchkey-guide-'));
  guide = await readFile(path.join(root, 'docs/guides/no-secrets-in-ci.md'), 'utf8');
  await bash('latchkey login --email "$STAFF_EMAIL" --password-stdin <<< "$STAFF_PASSWORD"');
});
afterAll(async () => {
  await testApp.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a script in which `latchkey` is the command line of this checkout. */
async function bash(script: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { PATH = '' } = process.env;
  const program = path.join(root, 'dist/src/main.js');
  const prelude = `latchkey() { '${process.execPath}' '${program}' "$@"; }`;
  const { stdout } = await run('bash', ['-e', '-o', 'pipefail', '-c', `${prelude}; ${script}`], {
    cwd: folder,
    env: {
      ...testApp.env,
      ...{ PATH, HOME: folder, LATCHKEY_BASE_URL: testApp.app.publicUrl },
      ...env,
    },
  });
  return stdout;
}

type Section = {
  /** The commands of the section, as they are. */
  readonly commands: readonly string[];
  /** The contents of its blocks in a language. */
  blocks(language: string): string[];
};

function sectionOf(title: string): Section {
  const [, text = ''] = guide.split(`\n## ${title}\n`);
  const [section = ''] = text.split('\n## ');
  const blocks = (language: string) =>
    [...section.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(
      ([, block = '']) => block.replaceAll(/^ {3}/gm, ''),
    );
  const shown = blocks('console')
    .join('')
    .replaceAll(/\\\n\s*/g, '');
  const commands = [...shown.matchAll(/^\s*\$ (.*)$/gm)].map(([, command = '']) => command);
  return { commands, blocks };
}

const find = (commands: readonly string[], start: string) => {
  const found = commands.filter((command) => command.startsWith(start));
  expect(found, start).not.toEqual([]);
  return found;
};

/** Creates a client as the guide does. Returns its id. */
async function createClient(): Promise<string> {
  const [create = ''] = find(sectionOf('Before you start').commands, 'latchkey clients create');
  return JSON.parse(await bash(`${create} --json`)).client.id;
}

/** Trusts the issuer and adds an identity to the client, with the last commands of a section. */
async function setUp({ commands }: Section, issuer: FakeIssuer, clientId: string) {
  const kubectl = `kubectl() { curl -sSf "${issuer.url}$3"; }`;
  const tools = `${kubectl}; spire-server() { kubectl get --raw /jwks; }`;
  for (const command of commands.filter((one) => /^(kubectl|spire-server) .*>/.test(one))) {
    await bash(`${tools}; ${command}`);
  }
  const trust = find(commands, 'latchkey issuers create').at(-1) ?? '';
  const trusted = await bash(`${trust.replace(/https:\S+/, issuer.url)} --json`);
  const { id } = JSON.parse(trusted);
  const [identify = ''] = find(commands, 'latchkey clients identities create');
  await bash(identify.replace('cli_…', clientId).replace('iss_…', id));
  const read = async () => JSON.parse(await bash(`latchkey issuers get ${id} --json`)).key_ids;
  await expect.poll(read).toEqual(['first']);
}

async function startIssuer(): Promise<FakeIssuer> {
  const issuer = await startFakeIssuer();
  issuer.answers.set('/openid/v1/jwks', (...exchange) => sendJson(issuer.jwks())(...exchange));
  onTestFinished(() => issuer.close());
  return issuer;
}

/** Requests a token with the assertion in a file, as a pod does. */
async function tokenOfFile(clientId: string, assertion: string): Promise<JWTPayload> {
  const file = path.join(folder, 'token');
  await writeFile(file, assertion);
  const [, command = ''] = /`(latchkey token [^`]*)`/.exec(guide) ?? [];
  const env = { LATCHKEY_CLIENT_ID: clientId, LATCHKEY_CLIENT_ASSERTION_FILE: file };
  return decodeJwt(
    (await bash(command, { ...env, XDG_CONFIG_HOME: path.join(folder, 'none') })).trim(),
  );
}

describe('the guide about jobs without secrets', () => {
  it('gets a token in the workflow of GitHub Actions', async () => {
    const issuer = await startIssuer();
    const clientId = await createClient();
    const section = sectionOf('GitHub Actions');
    await setUp(section, issuer, clientId);
    const [yaml = ''] = section.blocks('yaml');
    const { permissions, jobs } = parse(yaml);
    expect(permissions).toMatchObject({ 'id-token': 'write' });
    const { publicUrl } = testApp.app;
    const requestPath = `/token?api-version=2.0&audience=${publicUrl}`;
    const assertion = await issuer.sign(gitHubClaims(issuer.url, publicUrl));
    let authorization: string | undefined;
    issuer.answers.set(requestPath, (request, response) => {
      authorization = request.headers.authorization;
      sendJson({ value: assertion })(request, response);
    });
    const file = path.join(folder, 'github-env');
    const stdout = await bash(jobs.deploy.steps[0].run, {
      ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/token?api-version=2.0`,
      ...{ ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token', GITHUB_ENV: file },
      LATCHKEY_CLIENT_ID: clientId,
    });
    expect(authorization).toBe('Bearer request-token');
    const [, token = ''] = /^TOKEN=(.*)$/m.exec(await readFile(file, 'utf8')) ?? [];
    expect(stdout).toBe(`::add-mask::${token}\n`);
    expect(decodeJwt(token)).toMatchObject({ sub: clientId, scope: 'payments:write' });
  });

  it('gets a token in a pod of Kubernetes', async () => {
    const issuer = await startIssuer();
    const clientId = await createClient();
    const section = sectionOf('Kubernetes');
    await setUp(section, issuer, clientId);
    const [yaml = ''] = section.blocks('yaml');
    const [account, deployment] = parseAllDocuments(yaml).map((one) => one.toJS());
    const { serviceAccountName, containers, volumes } = deployment.spec.template.spec;
    const { name, namespace } = account.metadata;
    const subject = `system:serviceaccount:${namespace}:${name}`;
    expect(serviceAccountName).toBe(name);
    expect(find(section.commands, 'latchkey clients identities')[0]).toContain(` ${subject}`);
    const env = Object.fromEntries(
      containers[0].env.map((one: { name: string; value: string }) => [one.name, one.value]),
    );
    const { serviceAccountToken } = volumes[0].projected.sources[0];
    const mounted = path.join(containers[0].volumeMounts[0].mountPath, serviceAccountToken.path);
    expect(env).toMatchObject({
      LATCHKEY_BASE_URL: serviceAccountToken.audience,
      LATCHKEY_CLIENT_ASSERTION_FILE: mounted,
    });
    const assertion = await issuer.sign(kubernetesClaims(issuer.url, testApp.app.publicUrl));
    expect(await tokenOfFile(clientId, assertion)).toMatchObject({ sub: clientId });
  });

  it('gets a token with a JWT-SVID, and shows why another one is refused', async () => {
    const issuer = await startIssuer();
    const clientId = await createClient();
    await setUp(sectionOf('SPIFFE'), issuer, clientId);
    const claims = spiffeClaims(issuer.url, testApp.app.publicUrl);
    expect(await tokenOfFile(clientId, await issuer.sign(claims))).toMatchObject({ sub: clientId });
    const other = { ...claims, sub: 'spiffe://example.org/ns/production/sa/other' };
    await expect(tokenOfFile(clientId, await issuer.sign(other))).rejects.toThrow(
      'credential_invalid',
    );
    const [show = ''] = sectionOf('If a token is refused').commands;
    const [, reason = ''] = /\*(No federated[^*]*)\*/.exec(guide.replaceAll('\n', ' ')) ?? [];
    await expect.poll(() => bash(show)).toContain(reason);
  });
});
