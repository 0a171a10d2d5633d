import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';
import { Bundles, CREDENTIALS_ALIAS } from '../../../packages/kit/base/bundles.js';
import { BUNDLE_CACHE } from '../../../tools/local/assembly.js';
import { WaiterStack } from './waiter-stack.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The waiter's stack with real bundles. @returns a folder with its cloud assembly */
export function waiterAssembly(): string {
  const outdir = mkdtempSync(join(tmpdir(), 'orderly-waiter-'));
  const bundles = new Bundles(join(ROOT, 'lambdas'), { root: ROOT, cache: BUNDLE_CACHE });
  const own = mkdtempSync(join(tmpdir(), 'orderly-waiter-code-'));
  buildSync({
    entryPoints: [join(ROOT, 'test/support/waiter/on-command.lambda.ts')],
    outfile: join(own, 'index.js'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    mainFields: ['module', 'main'],
    logLevel: 'warning',
    alias: CREDENTIALS_ALIAS,
  });
  const code = (entry: string): Code => (entry === 'waiter/on-command' ? Code.fromAsset(own) : bundles.code(entry));
  const { context } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8'));
  const app = new App({ outdir, context });
  new WaiterStack(app, { code });
  app.synth();
  bundles.remove();
  rmSync(own, { recursive: true, force: true });
  return outdir;
}
