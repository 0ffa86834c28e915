// The messages of refused calls on a terminal.
import { expect } from 'vitest';
import { explain } from '../../../clients/cli/src/remote/errors.ts';
import { LatchkeyError, latchkeyErrorOf } from '../../../clients/client/src/errors.ts';
import { itHoldsFor } from '../../support/rule.ts';

const server = 'https://keys.example.com';
const login = 'latchkey --profile mine login';

itHoldsFor([
  ['unauthenticated', [], `Run: ${login}`],
  ['step_up_required', [], `Run: ${login}`],
  ['second_factor_required', [], `Add one at ${server}/console. Then run: ${login}`],
  ['invalid_argument', [{ field: 'workspace_id', detail: 'Wrong.' }], 'Add --workspace <id>.'],
  ['forbidden', [], 'Wrong. (forbidden, request r1)'],
] as const)('a refused call says what to do', (code, fields, advice) => {
  const error = new LatchkeyError(code, 'Wrong.', { fields, requestId: 'r1' });
  const { message } = explain(error, server, login) as Error;
  expect(message.split('\n').at(-1)).toBe(advice);
});

itHoldsFor(
  [
    ['SELF_SIGNED_CERT_IN_CHAIN', true],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', true],
    ['CERT_HAS_EXPIRED', false],
    ['ECONNREFUSED', false],
  ] as const,
  4,
)('names the setting for a certificate authority after %s: %s', (code, isNamed) => {
  const cause = new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code }) });
  const error = latchkeyErrorOf(cause, server);
  const { message } = explain(error, server, login) as Error;
  expect(message).toContain(code);
  expect(message.includes('NODE_EXTRA_CA_CERTS')).toBe(isNamed);
});
