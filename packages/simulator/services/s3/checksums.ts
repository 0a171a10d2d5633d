import { createHash } from 'node:crypto';
import { Refused } from '../../wire/operation.js';

/** Remainders of the bytes from 0 to 255. @param polynomial reflected */
const crcTable = (polynomial: bigint): readonly bigint[] =>
  Array.from({ length: 256 }, (_, byte) => {
    let rest = BigInt(byte);
    for (let bit = 0; bit < 8; bit++) rest = rest & 1n ? (rest >> 1n) ^ polynomial : rest >> 1n;
    return rest;
  });

/** Makes a cyclic redundancy check, as S3 writes it: big-endian, base64. */
function crc(bits: number, polynomial: bigint): (bytes: Uint8Array) => string {
  const all = (1n << BigInt(bits)) - 1n;
  let table: readonly bigint[] | undefined;
  return (bytes) => {
    table ??= crcTable(polynomial);
    let rest = all;
    for (const byte of bytes) rest = (rest >> 8n) ^ (table[Number((rest ^ BigInt(byte)) & 0xffn)] as bigint);
    return Buffer.from((rest ^ all).toString(16).padStart(bits / 4, '0'), 'hex').toString('base64');
  };
}

const hash =
  (name: string) =>
  (bytes: Uint8Array): string =>
    createHash(name).update(bytes).digest('base64');

/** Amazon S3 User Guide, "Checking object integrity for data uploads": the algorithms, by their headers' ends. */
const ALGORITHMS: Readonly<Record<string, (bytes: Uint8Array) => string>> = {
  crc32: crc(32, 0xedb88320n),
  crc32c: crc(32, 0x82f63b78n),
  crc64nvme: crc(64, 0x9a6c9329ac4bc9b5n),
  sha1: hash('sha1'),
  sha256: hash('sha256'),
};

const HEADER = /^x-amz-checksum-(crc32|crc32c|crc64nvme|sha1|sha256)$/;

/**
 * Checks what a client says of a body. Amazon S3 API Reference, "PutObject" and "Error responses" (`BadDigest`,
 * `InvalidDigest`, `InvalidRequest`).
 * @param headers of the request, with the fields behind its body
 * @returns the checksums, as headers of the answer
 * @throws {Refused} if one is malformed or another one
 */
export function verifyChecksums(
  headers: Readonly<Record<string, string>>,
  bytes: Uint8Array,
): Readonly<Record<string, string>> {
  const md5 = headers['content-md5'];
  if (md5 !== undefined) {
    const named = { 'Content-MD5': md5 };
    if (decodedLength(md5) !== 16)
      throw new Refused('InvalidDigest', 'The Content-MD5 you specified was invalid.', 400, named);
    const CalculatedDigest = hash('md5')(bytes);
    const digests = { ExpectedDigest: Buffer.from(md5, 'base64').toString('hex'), CalculatedDigest };
    if (md5 !== CalculatedDigest)
      throw new Refused('BadDigest', 'The Content-MD5 you specified did not match what we received.', 400, digests);
  }
  const sums = Object.entries(headers).filter(([name]) => HEADER.test(name));
  if (sums.length > 1)
    throw new Refused(
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    );
  const right: Record<string, string> = {};
  for (const [name, sent] of sums) {
    const [, algorithm = ''] = HEADER.exec(name) ?? [];
    const sum = ALGORITHMS[algorithm]?.(bytes);
    if (sum === undefined) continue;
    if (decodedLength(sent) !== decodedLength(sum))
      throw new Refused('InvalidRequest', `Value for ${name} header is invalid.`);
    if (sent !== sum)
      throw new Refused(
        'BadDigest',
        `The ${algorithm.toUpperCase()} you specified did not match the calculated checksum.`,
      );
    right[name] = sent;
    right['x-amz-checksum-type'] = 'FULL_OBJECT';
  }
  return right;
}

const decodedLength = (base64: string): number =>
  /^[\w+/]*={0,2}$/.test(base64) ? Buffer.from(base64, 'base64').length : -1;
