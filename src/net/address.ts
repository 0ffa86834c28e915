/**
 * A network address as it is told everywhere: without brackets and zone, an IPv4 address that
 * arrived over IPv6 (`::ffff:192.0.2.1`) as IPv4. Sockets write the same one differently.
 */
export function bareAddress(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare;
}
