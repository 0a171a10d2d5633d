import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * IPv4 networks that are no part of the public internet, or are nobody's. Source: IANA IPv4 Special-Purpose Address Registry, and
 * RFC 5771 (multicast). 169.254.0.0/16 has the metadata of instances and containers at AWS.
 */
const NOT_PUBLIC_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/** The only IPv6 network that is assigned for the public internet. Source: IANA IPv6 Global Unicast Address Assignments. */
const PUBLIC_IPV6 = ['2000::', 3] as const;
/**
 * Networks inside of it that are not public, or that lead to an IPv4 address which nobody has checked (Teredo, 6to4). Source: IANA
 * IPv6 Special-Purpose Address Registry.
 */
const NOT_PUBLIC_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const refused = new BlockList();
for (const [network, prefix] of NOT_PUBLIC_IPV4) refused.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of NOT_PUBLIC_IPV6) refused.addSubnet(network, prefix, 'ipv6');
const accepted = new BlockList();
accepted.addSubnet(...PUBLIC_IPV6, 'ipv6');

/**
 * Tells whether an address is one of the public internet. Loopback, link-local, private and shared networks are not, and neither is an
 * IPv6 address that holds an IPv4 one (`::ffff:10.0.0.1`, `64:ff9b::10.0.0.1`).
 * @param address IPv4 or IPv6, without brackets. Anything else is not public
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !refused.check(address, 'ipv4');
  // A zone (`fe80::1%eth0`) names an interface of this machine.
  if (!isIPv6(address) || address.includes('%')) return false;
  return accepted.check(address, 'ipv6') && !refused.check(address, 'ipv6');
}
