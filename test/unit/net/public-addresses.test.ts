import { describe, expect } from 'vitest';
import { isPublicAddress } from '../../../src/base/net/public-addresses.ts';
import { itHoldsFor } from '../../support/rule.ts';

const others = [
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.255.255', '169.254.169.254'],
  ...['172.16.0.1', '172.31.255.255', '192.0.0.8', '192.0.2.1', '192.168.0.1', '198.18.0.1'],
  ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::ffff:10.0.0.1', '::7f00:1', '64:ff9b::a00:1'],
  ...['100::1', '2001::1', '2001:db8::1', '2002:a00:1::1', '3fff::1', 'fc00::1', 'fd12::1'],
  ...['fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '4000::1', '', 'localhost', '1', '0x7f.1'],
];

const global = [
  ...['1.1.1.1', '8.8.8.8', '100.128.0.1', '172.15.255.255', '172.32.0.1', '192.167.255.255'],
  ...['198.20.0.1', '223.255.255.255', '::ffff:8.8.8.8', '2606:4700:4700::1111', '2a00:1450::1'],
];

describe('an address', () => {
  itHoldsFor(others, 30)('of a special network is not public', (address) => {
    expect(isPublicAddress(address), address).toBe(false);
  });

  itHoldsFor(global, 10)('of the internet is public', (address) => {
    expect(isPublicAddress(address), address).toBe(true);
  });
});
