import { isIPv4, isIPv6, SocketAddress } from 'node:net';

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
