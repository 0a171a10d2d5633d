import { describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../../packages/kit/webhooks/public-address.js';
import { findUrlFault } from '../../../packages/kit/webhooks/receiver-url.js';

test.each([
  '8.8.8.8',
  '52.94.236.248',
  '172.15.255.255',
  '172.32.0.0',
  '100.63.255.255',
  '2600:1f18::1',
  '2001:4860:4860::8888',
])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

test.each([
  ['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
  ['unspecified', ['0.0.0.0', '0.1.2.3', '::']],
  ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd00:ec2::254']],
  [
    'link-local, with metadata of instances and containers',
    ['169.254.169.254', '169.254.170.2', 'fe80::1', 'fe80::1%eth0', '2600:1f18::1%eth0'],
  ],
  ['shared by customers of a carrier', ['100.64.0.1', '100.127.255.255']],
  [
    'IPv4 in IPv6',
    ['::ffff:10.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '64:ff9b::a00:1', '2002:a00:1::', '2001:0:a00::1'],
  ],
  ['for protocols and old relays', ['192.0.0.1', '192.0.0.171', '192.88.99.1']],
  ['for documents and tests', ['192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '2001:db8::1', '3fff::1']],
  [
    'multicast, broadcast and reserved',
    ['224.0.0.1', '239.1.1.1', '255.255.255.255', '250.0.0.1', 'ff02::1', '4000::1'],
  ],
  ['no address', ['', 'shop.example.com', '1.2.3', '1.2.3.4.5', '0x7f.1', '[::1]']],
])('addresses that are %s are not public', (_, addresses) => {
  for (const address of addresses) expect(isPublicAddress(address), address).toBe(false);
});

describe('the address of a receiver', () => {
  test.each([
    'https://shop.example.com/hooks?shop=1',
    'https://shop.example.com:8443/',
    'https://8.8.8.8/',
    'https://[2600:1f18::1]/',
  ])('%s may be called', (url) => expect(findUrlFault(url)).toBeUndefined());

  test.each([
    ['shop.example.com', 'absolute'],
    ['http://shop.example.com/', 'https'],
    ['ftp://shop.example.com/', 'https'],
    ['https://user:secret@shop.example.com/', 'no user name'],
    ['https://shop.example.com/#part', 'no fragment'],
    ['https://localhost/', 'public internet'],
    ['https://api.localhost./', 'public internet'],
    ['https://db.internal/', 'public internet'],
    ['https://printer.local/', 'public internet'],
    ['https://intranet/', 'public internet'],
    ['https://127.0.0.1/', 'public internet'],
    // The same address, as a resolver of C reads it.
    ['https://2130706433/', 'public internet'],
    ['https://0x7f.1/', 'public internet'],
    ['https://[::ffff:127.0.0.1]/', 'public internet'],
    [`https://shop.example.com/${'a'.repeat(2_000)}`, 'at most 2000'],
  ])('%s is refused with what would be right', (url, expected) => expect(findUrlFault(url)).toContain(expected));
});
