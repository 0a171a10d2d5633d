import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** Returns the files of the kit whose code is in the bundle of a function. */
async function kitFilesOf(entry: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    external: ['@aws-*', 'zod', 'canonicalize', 'uuid', 'aws-jwt-verify'],
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  return inputs.flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput > 0 && file.startsWith('packages/kit/') ? [file] : [],
  );
}

const ofLanes = (file: string): boolean => file.startsWith('packages/kit/lane/') || file.includes('lane-entrance');

test('a consumer without a lane has none of its code', async () => {
  for (const entry of ['lambdas/orders/on-saga-message.lambda.ts', 'lambdas/baskets/on-product-event.lambda.ts']) {
    const files = await kitFilesOf(entry);
    expect(files).toContain('packages/kit/idempotent-consumer/consumer.ts');
    expect(files.filter(ofLanes)).toEqual([]);
  }
});

test('a consumer with a lane has the entrance', async () => {
  expect(await kitFilesOf('lambdas/inventory/on-command.lambda.ts')).toContain('packages/kit/lane/entrance.ts');
});
