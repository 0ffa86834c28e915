// docs/cli.md, and the tables of commands that it comes from.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { DescMessage, DescMethod } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import type { Command } from '../../clients/cli/src/base/command.ts';
import { callsOf } from '../../clients/cli/src/remote/call-command.ts';
import type { CallSpec } from '../../clients/cli/src/remote/call-spec.ts';
import { methodOf } from '../../clients/cli/src/remote/methods.ts';
import { itemsField } from '../../clients/cli/src/remote/response.ts';
import { cliDoc } from '../../scripts/cli-doc.ts';
import { methodFactsOf } from '../../src/api/endpoint.ts';
import { services } from '../../src/api/services.ts';
import { rootCommand } from '../../src/cli/commands.ts';
import { itHoldsFor } from '../support/rule.ts';

test('docs/cli.md is up to date', () => {
  // If this fails, run `npm run generate`.
  const file = path.resolve(import.meta.dirname, '../../docs/cli.md');
  expect(readFileSync(file, 'utf8')).toBe(cliDoc());
});

const allCommands = (command: Command): readonly Command[] => [
  command,
  ...(command.commands ?? []).flatMap(allCommands),
];

const commands = allCommands(rootCommand);
const calls: readonly CallSpec[] = commands.flatMap((one) => callsOf(one));

test('each command has a sentence, and either code or commands', () => {
  for (const { name, about, load, commands: children } of commands) {
    expect(about, name).toMatch(/^[A-Z].*\.$/);
    expect(load === undefined, name).toBe(children !== undefined);
  }
});

/**
 * The methods of `token`, `verify` and `revoke`, each with the fields that have no option: those of
 * the credential, the constants of RFC 8693, and those that the service ignores or refuses.
 */
const tokenMethods: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'issuance.issueToken',
    'token',
    [
      ...['client_id', 'client_secret', 'client_assertion_type', 'client_assertion'],
      ...['grant_type', 'subject_token_type', 'actor_token_type', 'requested_token_type'],
      'audience',
    ],
  ],
  ['issuance.exchangeApiKey', 'token', ['api_key', 'audience']],
  ['verification.verifyToken', 'verify', ['token', 'token_type_hint']],
  ['verification.revokeToken', 'revoke', ['token', 'token_type_hint']],
];

/**
 * Other methods that commands with more code call. GetJwks needs no credential and no command, and
 * the OAuth methods do the same as `latchkey verify` and `latchkey revoke`. Users decide about
 * sign-ins of the command line in the console.
 */
const otherMethods = [
  'verification.getJwks',
  'oauth.introspect',
  'oauth.revoke',
  'session.signIn',
  'session.startPasskeySignIn',
  'session.signInWithPasskey',
  'session.startDeviceSignIn',
  'session.signInWithDeviceCode',
  'session.findDeviceSignIn',
  'session.approveDeviceSignIn',
  'session.denyDeviceSignIn',
  'session.refreshSession',
  'passkey.startPasskeyRegistration',
  'passkey.createPasskey',
  'session.signOut',
  'document.uploadDocument',
  'document.uploadVersion',
  'document.downloadDocument',
  'link.batchCreateLinks',
  'insight.exportDocumentViews',
  'insight.exportLinkViews',
  'visitor.exportVisitors',
  'audit.exportAuditEvents',
  'user.exportUser',
  'workspace.putWorkspaceLogo',
];

test('each method of the API has one command', () => {
  const methods = Object.entries(services).flatMap(([name, { methods: all }]) =>
    all.map(({ localName }) => `${name}.${localName}`),
  );
  const byTokens = tokenMethods.map(([method]) => method);
  const called = [...calls.map(({ method }) => method), ...byTokens, ...otherMethods];
  expect(called.toSorted()).toEqual(methods.toSorted());
});

/** Whether a message has a field at this path, such as `quota.bytes_max` or `parents.0.name`. */
function hasField(desc: DescMessage, fieldPath: string): boolean {
  const [name, ...rest] = fieldPath.split('.');
  const field = desc.fields.find((one) => one.name === name);
  if (field === undefined || rest.length === 0) return field !== undefined;
  if (field.fieldKind === 'list' && field.listKind === 'message' && /^\d+$/.test(rest[0] ?? '')) {
    return hasField(field.message, rest.slice(1).join('.'));
  }
  return field.fieldKind === 'message' && hasField(field.message, rest.join('.'));
}

describe('a command that calls a method', () => {
  const named = calls.map((spec) => [spec.method, spec] as const);

  itHoldsFor(named, 70)('names fields of the request and the response', (_name, spec) => {
    const { input, output } = methodOf(spec);
    const named = [...Object.keys(spec.args ?? {}), ...Object.keys(spec.fields ?? {})];
    expect(named.filter((one) => !hasField(input, one))).toEqual([]);
    const isPaged = input.fields.some(({ name }) => name === 'page_token');
    expect(spec.columns !== undefined).toBe(isPaged || spec.isWhole === true);
    expect(isPaged && spec.isWhole === true).toBe(false);
    const { access, acceptsIdempotencyKey } = methodFactsOf(methodOf(spec));
    expect(spec.isCreating === true).toBe(acceptsIdempotencyKey);
    expect(spec.isPublic === true).toBe(access.public);
    const needsWorkspace = input.fields.some(({ name }) => name === 'workspace_id');
    expect(spec.isInWorkspace === true || named.includes('workspace_id')).toBe(needsWorkspace);
    const items = itemsField(output);
    const item = items !== undefined && 'message' in items ? items.message : undefined;
    const columns = (spec.columns ?? []).map((one) => (typeof one === 'string' ? one : one.path));
    expect(columns.filter((one) => item === undefined || !hasField(item, one))).toEqual([]);
  });

  itHoldsFor(named, 70)('accepts every field of the request', (_name, spec) => {
    const { input } = methodOf(spec);
    const common = [
      ...['workspace_id', 'update_mask'],
      ...['page_size', 'page_token', 'query', 'order_by'],
    ];
    const own = [...Object.keys(spec.args ?? {}), ...Object.keys(spec.fields ?? {})];
    const known = [...common, ...own.map((one) => one.replace(/\..*/, ''))];
    const names = input.fields.map(({ name }) => name);
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe('a command for tokens', () => {
  itHoldsFor(tokenMethods, 4)('has an option for every other field', (method, name, without) => {
    const { options = [] } = commands.find((one) => one.name === name) ?? {};
    const accepted = options.map((one) => one.name.replaceAll('-', '_').replace(/_file$/, ''));
    const [service = '', localName] = method.split('.');
    const methods: readonly DescMethod[] = services[service as keyof typeof services].methods;
    const { input } = methods.find((one) => one.localName === localName) as DescMethod;
    const names = input.fields.map((field) => field.name);
    expect(without.filter((field) => !names.includes(field))).toEqual([]);
    const short = (field: string) => field.replace(/^expected_|(?<=account)(_id|s)$/g, '');
    const missing = names.filter((field) => !without.includes(field));
    expect(missing.filter((field) => !accepted.includes(short(field)))).toEqual([]);
  });
});
