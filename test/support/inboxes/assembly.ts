import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { Bundles } from '../../../packages/kit/base/bundles.js';
import { BUNDLE_CACHE } from '../../../tools/local/assembly.js';
import { InboxesStack } from './stack.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Folder of the entry points. */
export const INBOX_LAMBDAS = join(ROOT, 'test/support/inboxes');

/** Synthesizes the stack of the inboxes with real bundles. @returns a folder with its cloud assembly */
export function inboxesAssembly(): string {
  const outdir = mkdtempSync(join(tmpdir(), 'orderly-inboxes-'));
  const bundles = new Bundles(INBOX_LAMBDAS, { root: ROOT, cache: BUNDLE_CACHE });
  const { context } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8'));
  const app = new App({ outdir, context });
  new InboxesStack(app, bundles);
  app.synth();
  return outdir;
}
