/**
 * Returns a network address in one form: without brackets and zone, and with IPv4-mapped IPv6
 * addresses (`::ffff:192.0.2.1`) as IPv4. Sockets write the same address in several forms.
 */
export function normaliseAddress(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare;
}
