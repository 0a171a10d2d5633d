import { expect, test } from 'vitest';
import { readChunks, toAnimatedWebp, toChunk, toFile } from '../../../tools/local/animated-webp.js';

/** A WebP with a header of a key frame and some bytes behind it. */
function picture(width: number, height: number, rest: string): Buffer {
  const header = Buffer.from([0, 0, 0, 0x9d, 0x01, 0x2a, 0, 0, 0, 0]);
  header.writeUInt16LE(width, 6);
  header.writeUInt16LE(height, 8);
  return toFile([toChunk('VP8 ', Buffer.concat([header, Buffer.from(rest)]))]);
}

test('an animated WebP has the frames one after the other, each for its time and in its size', () => {
  const webp = toAnimatedWebp([
    { webp: picture(300, 200, 'a'), milliseconds: 400 },
    { webp: picture(300, 200, 'bc'), milliseconds: 70_000 },
  ]);
  expect(webp.readUInt32LE(4)).toBe(webp.length - 8);
  const [header, animation, ...frames] = readChunks(webp, 12);
  expect(header).toEqual({ name: 'VP8X', data: Buffer.from([2, 0, 0, 0, 43, 1, 0, 199, 0, 0]) });
  expect(animation).toMatchObject({ name: 'ANIM', data: Buffer.from([255, 255, 255, 255, 0, 0]) });
  expect(frames.map(({ name }) => name)).toEqual(['ANMF', 'ANMF']);
  expect(frames.map(({ data }) => [data.readUIntLE(6, 3), data.readUIntLE(9, 3), data.readUIntLE(12, 3)])).toEqual([
    [299, 199, 400],
    [299, 199, 70_000],
  ]);
  const pixels = frames.flatMap(({ data }) => readChunks(data, 16));
  expect(pixels.map(({ name, data }) => [name, data.toString('latin1', 10)])).toEqual([
    ['VP8 ', 'a'],
    ['VP8 ', 'bc'],
  ]);
});

test.each([
  ['no frame', [], 'at least one frame'],
  ['another size', [picture(3, 2, ''), picture(2, 3, '')], 'Frame 2 has another size'],
  ['another format', [Buffer.from('GIF89a, which is no WebP')], 'A frame is no WebP'],
  ['a picture without loss', [toFile([toChunk('VP8L', Buffer.from('pixels'))])], 'compressed with loss'],
] as const)('%s is refused', (_what, pictures, words) =>
  expect(() => toAnimatedWebp(pictures.map((webp) => ({ webp, milliseconds: 1 })))).toThrow(words),
);
