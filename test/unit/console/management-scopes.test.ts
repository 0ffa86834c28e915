import { expect, test } from 'vitest';
import { managementScopes } from '../../../src/api/access/scopes.ts';
import {
  describeScope,
  managementAreas,
} from '../../../web/console/shared/scopes/management-scopes.ts';

test('the console describes every management scope in one sentence, and no other scope', () => {
  const areas = managementScopes.map((scope) => scope.split(':')[0]);
  expect(managementAreas).toEqual([...new Set(areas)]);
  for (const scope of managementScopes) expect(describeScope(scope)).toMatch(/^[A-Z].+\.$/);
  expect(describeScope('payments:read')).toBeUndefined();
});
