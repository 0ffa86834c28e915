import { expect, test } from 'vitest';
import { requireVisible } from '../../../clients/cli/src/remote/profile.ts';
import { itHoldsFor } from '../../support/rule.ts';

itHoldsFor(['lk_wk_secret\nX', 'lk_wk_secret ', 'lk_wk_secret\u201d', '\u001b[31mlk_wk_secret'], 4)(
  'a malformed credential is refused, and the error does not contain it',
  (credential) => {
    const use = () => requireVisible(credential, 'LATCHKEY_API_KEY');
    expect(use).toThrow(/^LATCHKEY_API_KEY contains/);
    expect(use).not.toThrow(/secret/);
  },
);

test('a credential of visible characters is accepted', () => {
  expect(requireVisible('lk_wk_secret', 'LATCHKEY_API_KEY')).toBe('lk_wk_secret');
});
