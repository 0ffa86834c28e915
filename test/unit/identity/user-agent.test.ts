import { expect } from 'vitest';
import { browserNames } from '../../../src/identity/sessions/user-agent.ts';
import { itHoldsFor } from '../../support/rule.ts';

const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const chrome = `${mac} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36`;

itHoldsFor([
  [chrome, 'Chrome 131', 'macOS'],
  ['latchkey (Linux)', 'latchkey', 'Linux'],
  ['grpc-node-js/1.14.0', 'grpc-node-js', ''],
  ['python-requests/2.32', 'python-requests', ''],
  ['Approve this sign-in today/1 (x)', '', ''],
  ['grpc-approve-this-sign-in/1', '', ''],
  ['python-says-approve/1', '', ''],
  [`${'x'.repeat(300)}/1`, '', ''],
  ['', '', ''],
])('the names of a user agent are those of known programs', (header, browser, device) => {
  expect(browserNames(header)).toEqual({ browser, device });
});
