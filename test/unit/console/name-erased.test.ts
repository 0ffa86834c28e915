import { expect } from 'vitest';
import { nameErased } from '../../../web/console/shared/name-erased.ts';
import { itHoldsFor } from '../../support/rule.ts';

itHoldsFor([
  ['viw_3k3uopkvorg7xukescgkdp@deleted.invalid', 'Erased reader'],
  ['Plan for viw_3k3uopkvorg7xukescgkdp@deleted.invalid', 'Plan for erased reader'],
  ['“viw_3k3uopkvorg7xukescgkdp@deleted.invalid”', '“erased reader”'],
  ['ana@example.com', 'ana@example.com'],
  ['', ''],
])('the console shows each name', (name, shown) => {
  expect(nameErased(name)).toBe(shown);
});
