import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readChunks, toAnimatedPng } from '../../../tools/local/animated-png.js';

const PICTURE = readFileSync('docs/img/console-order.png');
/** The same picture with another width in its header. */
const WIDER = Buffer.from(PICTURE);
WIDER.writeUInt32BE(7, 16);

test('an animated PNG has the frames one after the other, each for its time', () => {
  const chunks = readChunks(toAnimatedPng([400, 1_500].map((milliseconds) => ({ png: PICTURE, milliseconds }))));
  const animation = chunks.find(({ type }) => type === 'acTL')?.data;
  expect([animation?.readUInt32BE(0), animation?.readUInt32BE(4)]).toEqual([2, 0]);
  const controls = chunks.filter(({ type }) => type === 'fcTL').map(({ data }) => data);
  expect(controls.map((data) => data.readUInt16BE(20) / data.readUInt16BE(22))).toEqual([0.4, 1.5]);
  const numbered = chunks.filter(({ type }) => type === 'fcTL' || type === 'fdAT').map(({ data }) => data.readUInt32BE(0));
  expect(numbered).toEqual(numbered.map((_, at) => at));
  const pixels = readChunks(PICTURE).filter(({ type }) => type === 'IDAT');
  expect(chunks.filter(({ type }) => type === 'IDAT')).toEqual(pixels);
  expect(chunks.filter(({ type }) => type === 'fdAT').map(({ data }) => data.subarray(4))).toEqual(
    pixels.map(({ data }) => data),
  );
});

test('its first frame alone is the picture that it was made of, byte for byte', () => {
  const without = readChunks(toAnimatedPng([{ png: PICTURE, milliseconds: 1 }])).filter(({ type }) => !/^fcTL|acTL$/.test(type));
  expect(without.map(({ type }) => type)).toEqual(expect.arrayContaining(['IHDR', 'IDAT', 'IEND']));
  // The checksums are those of the encoder that made the picture.
  const end = toAnimatedPng([{ png: PICTURE, milliseconds: 1 }]).subarray(-12);
  expect(end).toEqual(PICTURE.subarray(-12));
});

test.each([
  ['no frame', [], 'at least one frame'],
  ['another size', [PICTURE, WIDER], 'Frame 2 has another size'],
  ['no PNG', [Buffer.from('GIF89a')], 'A frame is no PNG'],
] as const)('%s is refused', (_what, pictures, words) =>
  expect(() => toAnimatedPng(pictures.map((png) => ({ png, milliseconds: 1 })))).toThrow(words));
