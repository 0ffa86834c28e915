// What counts as one network address: an IPv4 address; of an IPv6 address the /64 that every
// household and every rented machine has to itself.
import { isIPv6 } from 'node:net';
import { bareAddress } from './address.ts';

/** The network of a caller's address; what is no address is its own network. */
export function networkOf(address: string): string {
  const bare = bareAddress(address);
  if (!isIPv6(bare)) return bare;
  // The URL parser writes an IPv6 address in its one canonical form (RFC 5952).
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const [before = '', after] = canonical.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`;
}
