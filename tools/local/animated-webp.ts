/** One picture of an animation. */
export interface Frame {
  /** A whole WebP file, compressed with loss. All frames have the same size. */
  readonly webp: Buffer;
  /** Milliseconds for which it is shown. */
  readonly milliseconds: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Flag of a file that is animated, and of a frame that replaces what was there. RFC 9649, 2.7.1. */
const IS_ANIMATED = 0x02;
const REPLACES = 0x02;

/**
 * Makes an animated WebP of WebP pictures, which plays for ever. It takes their compressed pixels as they are. RFC 9649, 2.7.
 * @throws {Error} if there is no frame, if one is no WebP with loss, or has another size than the first
 */
export function toAnimatedWebp(frames: readonly Frame[]): Buffer {
  const read = frames.map(({ webp, milliseconds }) => ({ ...readPicture(webp), milliseconds }));
  const [first] = read;
  if (!first) throw new Error('An animation has at least one frame.');
  const parts = read.map(({ pixels, size, milliseconds }, at) => {
    if (size.width !== first.size.width || size.height !== first.size.height)
      throw new Error(`Frame ${at + 1} has another size than the first: all are the same.`);
    const place = Buffer.concat([toBytes(0, 3), toBytes(0, 3)]);
    const shown = Buffer.concat([toBytes(milliseconds, 3), toBytes(REPLACES, 1)]);
    return toChunk('ANMF', Buffer.concat([place, toSize(size), shown, toChunk('VP8 ', pixels)]));
  });
  const header = Buffer.concat([toBytes(IS_ANIMATED, 1), toBytes(0, 3), toSize(first.size)]);
  const animation = Buffer.concat([toBytes(0xffffffff, 4), toBytes(0, 2)]);
  return toFile([toChunk('VP8X', header), toChunk('ANIM', animation), ...parts]);
}

/** Makes a WebP file of its chunks. RFC 9649, 2.4. */
export const toFile = (chunks: readonly Buffer[]): Buffer =>
  toChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));

/** Makes a chunk, which has an even length. */
export const toChunk = (name: string, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from(name), toBytes(data.length, 4), data, Buffer.alloc(data.length % 2)]);

/** Reads the chunks of a WebP file, or of a frame. @param from offset of the first */
export function readChunks(bytes: Buffer, from: number): readonly { readonly name: string; readonly data: Buffer }[] {
  const chunks: { name: string; data: Buffer }[] = [];
  for (let at = from; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4);
    chunks.push({ name: bytes.toString('latin1', at, at + 4), data: bytes.subarray(at + 8, at + 8 + length) });
    at += 8 + length + (length % 2);
  }
  return chunks;
}

/** Reads the compressed pixels of a picture, and the size in their header. RFC 6386, 9.1. */
function readPicture(webp: Buffer): { readonly pixels: Buffer; readonly size: Size } {
  const isWebp = webp.toString('latin1', 0, 4) === 'RIFF' && webp.toString('latin1', 8, 12) === 'WEBP';
  const pixels = isWebp ? readChunks(webp, 12).find(({ name }) => name === 'VP8 ')?.data : undefined;
  if (!pixels) throw new Error('A frame is no WebP that was compressed with loss.');
  return { pixels, size: { width: pixels.readUInt16LE(6) & 0x3fff, height: pixels.readUInt16LE(8) & 0x3fff } };
}

const toSize = ({ width, height }: Size): Buffer => Buffer.concat([toBytes(width - 1, 3), toBytes(height - 1, 3)]);

function toBytes(value: number, length: 1 | 2 | 3 | 4): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntLE(value, 0, length);
  return bytes;
}
