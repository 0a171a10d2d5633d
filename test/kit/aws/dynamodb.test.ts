import { setFlagsFromString } from 'node:v8';
import { expect, test } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/index.js';

test('V8 copies the configuration of the client fast, since it has a fixed layout', () => {
  setFlagsFromString('--allow-natives-syntax');
  const hasFixedLayout = new Function('object', 'return %HasFastProperties(object)');
  setFlagsFromString('--no-allow-natives-syntax');
  expect(hasFixedLayout(documentClient.config)).toBe(true);
});
