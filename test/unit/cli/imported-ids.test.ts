import { expect, it } from 'vitest';
import { kinds } from '../../../clients/cli/src/apply/kinds.ts';
import { describe } from '../../../clients/cli/src/import/describe.ts';
import { isForeignClientId } from '../../../src/base/crypto/ids.ts';

const words = ['service', 'customer', 'staff', 'member', 'anonymous', 'me', 'system', 'latchkey'];
const digits = '0123456789abcdefghijkl';
const refused = [
  ...words.flatMap((word) => [word, word.toUpperCase()]),
  ...['workspace_key', 'latchkey-cli', 'LatchkeyTool', 'lk_cs_1', 'LK_1', 'usr_ada', 'cli_a'],
  ...['cli', 'cus', 'ws', 'AUD', 'zz'].map((prefix) => `${prefix}_${digits}`),
  ...['', '.', '-a', '_a', 'a b', 'a/b', 'é', 'a'.repeat(65)],
];
const accepted = [
  ...words.map((word) => (word === 'latchkey' ? 'my-latchkey' : `${word}s`)),
  ...['a', 'A', '0', 'orders', 'a.b-c_d', 'a'.repeat(64), 'c2b1e5a0-0f5e-4b64-9d3e-0d2ce5a7c001'],
  ...['usrs_ada', 'a_cli_b', `z_${digits}`, `long_${digits}`, `zz_${digits}0`, 'mea', 'systems-a'],
];

const kind = kinds.find(({ name }) => name === 'clients') as (typeof kinds)[number];
const context = {
  ...{ file: 'file', kind, stored: [], scopeMap: new Map(), audienceIds: new Map() },
  isNewSecret: false,
};
const reasonFor = (clientId: string) =>
  describe(
    {
      ...{ place: 'clients[0]', clientId, name: '', scopes: [], defaultScopes: [] },
      ...{ audiences: [], keys: [], notes: [] },
    },
    context,
  ).reason;

it('an id is refused by an import exactly if the service refuses it', () => {
  const failures = [...refused, ...accepted].filter(
    (id) => (reasonFor(id) === undefined) !== isForeignClientId(id),
  );
  expect(failures).toEqual([]);
  expect(refused.filter(isForeignClientId)).toEqual([]);
  expect(accepted.filter((id) => !isForeignClientId(id))).toEqual([]);
});
