import { expect } from 'vitest';
import { shortId } from '../../../web/console/shared/short-id.ts';
import { itHoldsFor } from '../../support/rule.ts';

itHoldsFor([
  ['doc_4D6GwqXgJk3bqv1XcUiNlG', 'doc_4D6G…UiNlG'],
  // A signing key, as on the page of the signing keys.
  ['gn-yV_lh0L24q2rjj1ZrPJlHLt-TN3b26HHiHur7Ouk', 'gn-yV_lh'],
  ['acc_demo_1', 'acc_demo_1'],
])('an id is shown in a short form', (id, short) => {
  expect(shortId(id)).toBe(short);
});
