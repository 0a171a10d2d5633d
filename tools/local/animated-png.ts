import { crc32 } from 'node:zlib';

/** One picture of an animation. */
export interface Frame {
  /** A whole PNG file. All frames have the same size and the same kind of pixels. */
  readonly png: Buffer;
  /** Milliseconds for which it is shown. */
  readonly milliseconds: number;
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Makes an animated PNG of PNGs, which plays for ever. It takes their compressed pixels as they are. PNG 3rd edition (W3C),
 * "Animation information"; where a reader knows no animation, it shows the first frame.
 * @throws {Error} if there is no frame, or if one has another size or another kind of pixels than the first
 */
export function toAnimatedPng(frames: readonly Frame[]): Buffer {
  const read = frames.map(({ png, milliseconds }) => ({ chunks: readChunks(png), milliseconds }));
  const [first] = read;
  if (!first) throw new Error('An animation has at least one frame.');
  const header = find(first.chunks, 'IHDR');
  let sequence = 0;
  const next = (): Buffer => toNumber(sequence++);
  const parts = read.flatMap(({ chunks, milliseconds }, at) => {
    const own = find(chunks, 'IHDR');
    if (!own.equals(header))
      throw new Error(`Frame ${at + 1} has another size or another kind of pixels than the first: all are the same.`);
    const control = Buffer.concat([
      next(),
      own.subarray(0, 8),
      Buffer.alloc(8),
      toShort(milliseconds),
      toShort(1_000),
      Buffer.alloc(2),
    ]);
    const pixels = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
    return [
      toChunk('fcTL', control),
      ...pixels.map((data) => (at === 0 ? toChunk('IDAT', data) : toChunk('fdAT', Buffer.concat([next(), data])))),
    ];
  });
  const animation = toChunk('acTL', Buffer.concat([toNumber(frames.length), toNumber(0)]));
  return Buffer.concat([SIGNATURE, toChunk('IHDR', header), animation, ...parts, toChunk('IEND', Buffer.alloc(0))]);
}

/** Reads the chunks of a PNG. @throws {Error} if it is none */
export function readChunks(png: Buffer): readonly Chunk[] {
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error('A frame is no PNG.');
  const chunks: Chunk[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

function find(chunks: readonly Chunk[], wanted: string): Buffer {
  const found = chunks.find(({ type }) => type === wanted);
  if (!found) throw new Error(`A frame has no ${wanted}.`);
  return found.data;
}

function toChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([toNumber(data.length), named, toNumber(crc32(named))]);
}

function toNumber(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function toShort(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
