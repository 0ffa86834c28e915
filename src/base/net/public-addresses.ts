// Finds out whether an address belongs to the public internet, so that a caller who chooses a URL
// cannot reach services of the private network (SSRF).
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { normaliseAddress } from './network.ts';

/** The special-purpose networks of IANA (RFC 6890), and multicast. */
const specialIpv4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24'],
  ...['192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
];

/** Within 2000::/3, which contains all global unicast addresses (RFC 4291 §2.4). */
const specialIpv6 = [
  ...['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'],
];

export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

const special = networkList([...specialIpv4, ...specialIpv6]);
const unicastIpv6 = networkList(['2000::/3']);
const loopback = networkList(['127.0.0.0/8', '::1']);

export function isPublicAddress(address: string): boolean {
  const bare = normaliseAddress(address);
  if (isIPv4(bare)) return !special.check(bare, 'ipv4');
  return isIPv6(bare) && unicastIpv6.check(bare, 'ipv6') && !special.check(bare, 'ipv6');
}

export const isLoopbackAddress = (address: string) => isInNetworks(address, loopback);

export function isInNetworks(address: string, networks: BlockList): boolean {
  const bare = normaliseAddress(address);
  if (isIPv4(bare)) return networks.check(bare, 'ipv4');
  return isIPv6(bare) && networks.check(bare, 'ipv6');
}
