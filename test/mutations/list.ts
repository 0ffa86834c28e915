// Faults that the default tier of the tests must catch.

export type Mutation = {
  readonly name: string;
  readonly file: string;
  /** Occurs in the file once. */
  readonly from: string;
  readonly to: string;
  /** The test files that have to fail. */
  readonly tests: readonly string[];
};

const guard = 'src/api/method-guard.ts';
const workspace = 'src/api/workspace.ts';
const codes = 'src/sharing/gate/codes.ts';
const steps = 'src/sharing/gate/gate-steps.ts';
const transcode = 'src/transports/gateway/transcode.ts';

const guardMutations: readonly Mutation[] = [
  {
    name: 'the guard accepts every kind of caller',
    file: guard,
    from: 'if (!this.#principals.has(principalTypes[principal.type])) {',
    to: 'if (principal.type === undefined) {',
    tests: ['test/guard.test.ts', 'test/access.test.ts'],
  },
  {
    name: 'the guard ignores scopes',
    file: guard,
    from: '    this.#requireScope(principal);\n    if (access.recentSignIn)',
    to: '    if (access.recentSignIn)',
    tests: ['test/guard.test.ts', 'test/access.test.ts'],
  },
  {
    name: 'the guard requires no recent sign-in',
    file: guard,
    from: '    if (access.recentSignIn) this.#checkSignIn(principal);\n  }',
    to: '  }',
    tests: ['test/guard.test.ts'],
  },
  {
    name: 'a sign-in in the future counts as recent',
    file: guard,
    from: ' && ageSeconds >= -clockSkewSecondsMax',
    to: '',
    tests: ['test/guard.test.ts'],
  },
  {
    name: 'users act for other users',
    file: guard,
    from: 'userId !== principal.userId',
    to: 'userId === undefined',
    tests: ['test/guard.test.ts'],
  },
  {
    name: 'a guarded field changes without a recent sign-in',
    file: guard,
    from: '    if (this.#changesGuarded(request)) this.#checkSignIn(principal);\n',
    to: '',
    tests: ['test/guard.test.ts'],
  },
  {
    name: 'an old check is not repeated',
    file: 'src/api/access-check.ts',
    from: 'this.#runTime > ageMsMax ? this.run()',
    to: 'this.#runTime < 0 ? this.run()',
    tests: ['test/guard.test.ts'],
  },
  {
    name: 'an API key acts in another workspace',
    file: workspace,
    from: "if (named !== '' && named !== principal.workspaceId) {",
    to: "if (named === 'x') {",
    tests: ['test/sharing/workspaces.test.ts', 'test/sharing/api-keys.test.ts'],
  },
  {
    name: 'a user acts in a workspace without being a member',
    file: workspace,
    from: "throw fail('forbidden', 'The user is not a member of the workspace.');",
    to: 'return workspaceId;',
    tests: ['test/guard.test.ts', 'test/sharing/members.test.ts'],
  },
  {
    name: 'the role of a member grants every scope',
    file: workspace,
    from: "if (scope !== '' && !scopes.has(scope)) {",
    to: 'if (scopes.size === 0) {',
    tests: ['test/guard.test.ts', 'test/sharing/members.test.ts'],
  },
];

const otherMutations: readonly Mutation[] = [
  {
    name: 'a removed document can be read',
    file: 'src/sharing/documents/store.ts',
    from: ".where('workspace_id', '=', workspaceId)\n    .where('remove_time', 'is', null);",
    to: ".where('workspace_id', '=', workspaceId);",
    tests: ['test/sharing/removal.test.ts'],
  },
  {
    name: 'a revoked link can be changed',
    file: 'src/sharing/links/store.ts',
    from: "    .where('workspace_id', '=', workspaceId)\n    .where('revoke_time', 'is', null)\n",
    to: "    .where('workspace_id', '=', workspaceId)\n",
    tests: ['test/sharing/links.test.ts', 'test/sharing/link-changes.test.ts'],
  },
  {
    name: 'a session that has expired is live',
    file: 'src/identity/sessions/store.ts',
    from: "\n    .where('expire_time', '>', now);\n\n/** A user has few",
    to: "\n    .where('expire_time', '>', 0 * now);\n\n/** A user has few",
    tests: ['test/identity/sessions.test.ts'],
  },
  {
    name: 'a cache keeps a value that changed while it was read',
    file: 'src/storage/cache/revocation-safe-cache.ts',
    from: 'if (!loads.hasChangedSince(begin, entities)) store',
    to: 'store',
    tests: ['test/storage/revocation-safe-cache.test.ts'],
  },
  {
    name: 'the gateway accepts a duplicate field',
    file: transcode,
    from: 'if (Object.hasOwn(members, field.name))',
    to: 'if (members === undefined)',
    tests: ['test/transports/repeated-fields.test.ts'],
  },
  {
    name: 'the gateway accepts unknown query parameters',
    file: transcode,
    from: "if (body === '*' || field === undefined || body?.name === field.name) {",
    to: 'if (field === undefined) {',
    tests: ['test/transports/gateway/transcode.test.ts', 'test/transports/gateway/binding.test.ts'],
  },
  {
    name: 'the gateway matches paths with empty segments',
    file: 'src/transports/gateway/router.ts',
    from: " || raw.includes('')",
    to: '',
    tests: ['test/unit/gateway', 'test/transports/http-hostile-request.test.ts'],
  },
  {
    name: 'the gate accepts any code',
    file: codes,
    from: '      if (!timingSafeEqual(Buffer.from(row.digest), given)) return false;\n',
    to: '      timingSafeEqual(given, given);\n',
    tests: ['test/sharing/gate-codes.test.ts'],
  },
  {
    name: 'the gate allows any number of guesses',
    file: codes,
    from: '    if ((visitorRow?.tries ?? 0) >= triesMax) return undefined;\n',
    to: '',
    tests: ['test/sharing/gate-codes.test.ts'],
  },
  {
    name: 'the gate asks for no password',
    file: steps,
    from: "  if (hasPassword(link) && !state.knowsPassword) return 'password';\n",
    to: '  void hasPassword;\n',
    tests: ['test/sharing/gate-password.test.ts', 'test/sharing/gate.test.ts'],
  },
];

export const mutations: readonly Mutation[] = [...guardMutations, ...otherMutations];
