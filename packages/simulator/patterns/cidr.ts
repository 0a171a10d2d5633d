import { BlockList, isIP } from 'node:net';
import { InvalidPattern } from './invalid.js';

/**
 * Reads a range of IP addresses, of version 4 or 6. Event Ruler, README, "IP Address Matching".
 * @returns whether an address is in it @throws {InvalidPattern}
 */
export function parseRange(cidr: string): (address: string) => boolean {
  const [network = '', bits = '', ...others] = cidr.split('/');
  const version = isIP(network);
  const length = Number(bits);
  if (version === 0 || others.length > 0 || !/^\d+$/.test(bits) || length > (version === 4 ? 32 : 128))
    throw new InvalidPattern(`Malformed CIDR: ${cidr}`);
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const range = new BlockList();
  range.addSubnet(network, length, family);
  return (address) => isIP(address) === version && range.check(address, family);
}
