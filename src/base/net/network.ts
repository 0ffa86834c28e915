// The network of an address: the IPv4 address itself, or the /64 of an IPv6 address, which is the
// usual size for one household or one rented machine. The site is the /48, the most that a provider
// usually assigns to one customer.
import { isIPv4, isIPv6, SocketAddress } from 'node:net';

export const networkOf = (address: string): string => prefixOf(address, 64);

export const siteOf = (address: string): string => prefixOf(address, 48);

function prefixOf(address: string, bits: 48 | 64): string {
  const bare = normaliseAddress(address);
  if (!isIPv6(bare)) return bare;
  // The URL parser writes an IPv6 address in its canonical form (RFC 5952).
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const [before = '', after] = canonical.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return `${[...head, ...zeros, ...tail].slice(0, bits / 16).join(':')}::/${bits}`;
}

/** IPv6 in its canonical form (RFC 5952), mapped IPv4 (RFC 4291 §2.5.5.2) as IPv4, no zone. */
export function normaliseAddress(address: string): string {
  if (isIPv4(address)) return address;
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (!isIPv6(bare)) return bare;
  const canonical = new SocketAddress({ address: bare, family: 'ipv6' }).address;
  // Node writes the last 32 bits of a mapped address with dots.
  const mapped = canonical.replace(/^::ffff:/, '');
  return isIPv4(mapped) ? mapped : canonical;
}
