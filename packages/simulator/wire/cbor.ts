/** Seconds since 1970: tag 1 of RFC 8949, as which Smithy writes timestamps. */
export class Timestamp {
  constructor(readonly seconds: number) {}
}

/** A body that isn't CBOR, or has something in it that no client of AWS sends. */
export class CborError extends Error {
  override readonly name = 'CborError';
}

/**
 * Writes a value as CBOR (RFC 8949, "Concise Binary Object Representation"): what Smithy's RPC over it needs. Members that are
 * undefined are left out.
 */
export function encodeCbor(value: unknown): Uint8Array {
  const parts: Uint8Array[] = [];
  writeValue(value, parts);
  return Buffer.concat(parts);
}

function writeValue(value: unknown, parts: Uint8Array[]): void {
  if (value === null || value === undefined) parts.push(Buffer.of(0xf6));
  else if (typeof value === 'boolean') parts.push(Buffer.of(value ? 0xf5 : 0xf4));
  else if (typeof value === 'number') writeNumber(value, parts);
  else if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    parts.push(writeHead(3, bytes.length), bytes);
  } else if (value instanceof Uint8Array) parts.push(writeHead(2, value.length), value);
  else if (value instanceof Timestamp) {
    parts.push(writeHead(6, 1));
    writeNumber(value.seconds, parts);
  } else if (Array.isArray(value)) {
    parts.push(writeHead(4, value.length));
    for (const one of value) writeValue(one, parts);
  } else {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    parts.push(writeHead(5, members.length));
    for (const [name, member] of members) {
      writeValue(name, parts);
      writeValue(member, parts);
    }
  }
}

function writeNumber(value: number, parts: Uint8Array[]): void {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
    parts.push(value < 0 ? writeHead(1, -1 - value) : writeHead(0, value));
    return;
  }
  const bytes = Buffer.alloc(9);
  bytes[0] = 0xfb;
  bytes.writeDoubleBE(value, 1);
  parts.push(bytes);
}

/** Returns the beginning of an item: its major type, and its length, count or value. */
function writeHead(major: number, value: number): Uint8Array {
  const type = major << 5;
  if (value < 24) return Buffer.of(type | value);
  if (value < 0x100) return Buffer.of(type | 24, value);
  const [info, size] = value < 0x10000 ? [25, 2] : value < 0x1_0000_0000 ? [26, 4] : [27, 8];
  const bytes = Buffer.alloc(1 + size);
  bytes[0] = type | info;
  if (size === 8) bytes.writeBigUInt64BE(BigInt(value), 1);
  else bytes.writeUIntBE(value, 1, size);
  return bytes;
}

/**
 * Reads CBOR to plain values; timestamps become seconds since 1970, and bytes stay bytes.
 * @throws {CborError} if it is malformed
 */
export function decodeCbor(bytes: Uint8Array): unknown {
  const reader = new Reader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const value = reader.item();
  if (!reader.isAtEnd) throw new CborError('something follows the end of the value');
  return value;
}

/** End of a list, map or text whose length its beginning doesn't tell. */
const BREAK = Symbol('break');

class Reader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  item(): unknown {
    const value = this.itemOrBreak();
    if (value === BREAK) throw new CborError('an end without a beginning');
    return value;
  }

  private itemOrBreak(): unknown {
    const first = this.take(1).readUInt8();
    const [major, info] = [first >> 5, first & 31];
    if (major === 7) return this.simple(info);
    const length = info === 31 ? undefined : this.argument(info);
    switch (major) {
      case 0:
        return this.needed(length);
      case 1:
        return -1 - this.needed(length);
      case 2:
        return length === undefined ? Buffer.concat(this.many(length) as Buffer[]) : Buffer.from(this.take(length));
      case 3:
        return length === undefined ? this.many(length).join('') : this.take(length).toString('utf8');
      case 4:
        return this.many(length);
      case 5:
        return this.map(length);
      default:
        // Of the tags only the timestamp is sent, whose value is the seconds.
        return this.item();
    }
  }

  private simple(info: number): unknown {
    switch (info) {
      case 20:
        return false;
      case 21:
        return true;
      case 22:
        return null;
      case 23:
        return undefined;
      case 25:
        return decodeHalfFloat(this.take(2).readUInt16BE());
      case 26:
        return this.take(4).readFloatBE();
      case 27:
        return this.take(8).readDoubleBE();
      case 31:
        return BREAK;
      default:
        throw new CborError(`the simple value ${info} means nothing`);
    }
  }

  private argument(info: number): number {
    if (info < 24) return info;
    if (info > 27) throw new CborError(`the length ${info} is reserved`);
    const size = 2 ** (info - 24);
    const bytes = this.take(size);
    return size === 8 ? Number(bytes.readBigUInt64BE()) : bytes.readUIntBE(0, size);
  }

  private many(length: number | undefined): unknown[] {
    const found: unknown[] = [];
    while (length === undefined || found.length < length) {
      const one = this.itemOrBreak();
      if (one === BREAK && length === undefined) break;
      if (one === BREAK) throw new CborError('a list ends early');
      found.push(one);
    }
    return found;
  }

  private map(length: number | undefined): Readonly<Record<string, unknown>> {
    const entries: [string, unknown][] = [];
    while (length === undefined || entries.length < length) {
      const name = this.itemOrBreak();
      if (name === BREAK && length === undefined) break;
      if (typeof name !== 'string') throw new CborError('a member has no name');
      entries.push([name, this.item()]);
    }
    return Object.fromEntries(entries);
  }

  private needed(length: number | undefined): number {
    if (length === undefined) throw new CborError('a number has no value');
    return length;
  }

  private take(size: number): Buffer {
    const end = this.at + size;
    if (end > this.bytes.length) throw new CborError('the body ends early');
    const taken = this.bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }
}

/** RFC 8949, appendix D: a number of 16 bits. */
function decodeHalfFloat(bits: number): number {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
