import { existsSync } from 'node:fs';
import { Assembly } from '../../../packages/simulator/assembly/assembly.js';
import type { Deployment } from '../../../packages/simulator/cloud/cloud.js';
import type { Bundle } from '../../../packages/simulator/runtime/bundle.js';
import {
  fetchSources,
  hasSources,
  ReleaseMissing,
  previousRelease as release,
} from '../../../tools/release/previous-sources.js';
import { type Patch, patching } from '../../simulation/planted/plant.js';
import { appCode, entryFile, listEntries } from './app-code.js';

/** Differences from the previous release as it was. */
export interface Changes {
  readonly patches: readonly Patch[];
  /** Entry points that it does not have. */
  readonly without?: RegExp;
}

const AS_IT_WAS: Changes = { patches: [] };

/** As if the previous release did not know an event that the present one publishes, as it was with 0.2.0. */
export const KNOWS_NO_SETTLEMENT: Changes = {
  patches: [
    { file: 'lambdas/accounts/contract.ts', from: /CreditSettled: \{.*\},\n/, to: '' },
    // So its snapshots have another state, and it ignores those of the present release.
    { file: 'lambdas/accounts/domain/account.ts', from: /stateSchema: \d+/, to: 'stateSchema: 0' },
    { file: 'lambdas/accounts/domain/authorization.ts', from: /stateSchema: \d+/, to: 'stateSchema: 0' },
  ],
  without: /^accounts\/(on-payment-event|on-lane)$/,
};

/** Mistake of a release: it acknowledges what it doesn't know, without an effect, instead of waiting. */
export const ACKNOWLEDGES_NEWER: Patch = {
  file: 'packages/kit/idempotent-consumer/consumer.ts',
  from: '    const { attempts } = delivery;\n    const permanent',
  to: `    if (/NEWER_(TYPE|VERSION)/.test(String(error))) return true;
    const { attempts } = delivery;
    const permanent`,
};

/**
 * Whether tests play the previous release: this clone has its commit, or has to have it (`CI`), so that a test which can't play it
 * is red. Where it is missing, a line says so.
 */
export function playsPreviousRelease(): boolean {
  if (hasSources(release())) return true;
  process.stderr.write(`The test of two releases is left out: ${new ReleaseMissing(release()).message}\n`);
  return Boolean(process.env.CI);
}

const made = new Map<string, Promise<ReadonlyMap<string, Bundle>>>();

/**
 * Returns the previous release's bundles by the labels of their functions, from the sources of its commit. New functions have
 * none. Their settings are those of the present templates.
 * @param folder of the present assembly
 * @param changes of the previous release. @default none
 * @throws {ReleaseMissing} if this clone does not have its commit
 */
export function previousRelease(folder: string, changes = AS_IT_WAS): Promise<ReadonlyMap<string, Bundle>> {
  const key = JSON.stringify([
    folder,
    String(changes.without),
    changes.patches.map(({ file, from, to }) => [file, String(from), to]),
  ]);
  const making = made.get(key) ?? loadBundles(folder, changes);
  made.set(key, making);
  return making;
}

async function loadBundles(folder: string, changes: Changes): Promise<ReadonlyMap<string, Bundle>> {
  const { functions, code } = await readPreviousCode(folder, changes);
  const app = appCode();
  const bundles = new Map(
    [...code].map(([entry, text]) => [entry, app.bundle(`${entry} of ${release().version}`, text)]),
  );
  return new Map(
    functions.flatMap(([label, entry]) => {
      const bundle = bundles.get(entry);
      return bundle ? [[label, bundle] as const] : [];
    }),
  );
}

/**
 * Returns a deployment in which some functions are of the previous release, as a deployment or a rollback leaves them for a while.
 * @param only entry points of these functions
 */
export async function besidePreviousRelease(folder: string, only: RegExp): Promise<Deployment> {
  const { code } = await readPreviousCode(folder, AS_IT_WAS);
  return appCode().deployment(new Assembly(folder), undefined, (entry) =>
    only.test(entry) ? code.get(entry) : undefined,
  );
}

/** Entry points that the previous release has under another name. The next release begins without any. */
const MOVED: Readonly<Record<string, string>> = {
  'kit/drains/drain-dead-letters': 'kit/failures/drain-dead-letters',
  'kit/drains/drain-failed-batches': 'kit/failures/drain-failed-batches',
  'operator/auditor/auditor': 'kit/operator/auditor/auditor',
  'orders/on-user-status-changed': 'orders/on-user-judged',
};
const before = (entry: string): string => MOVED[entry] ?? entry;

/** Returns the functions that both releases have, with their entry points, and the previous release's code of these. */
async function readPreviousCode(folder: string, { patches, without }: Changes) {
  const { version, folder: root, hasSamePackages } = fetchSources(release());
  if (!hasSamePackages) {
    process.stderr.write(
      `${version} is played with the packages of today's node_modules, which are not all as it had them.\n`,
    );
  }
  const functions = [...listEntries(new Assembly(folder))].filter(
    ([, entry]) => existsSync(entryFile(root, before(entry))) && !without?.test(entry),
  );
  const entries = [...new Set(functions.map(([, entry]) => entry))];
  const made = await appCode().ofSources(root, entries.map(before), [patching(patches, root)]);
  return { functions, code: new Map(entries.map((entry) => [entry, made.get(before(entry))?.code ?? ''])) };
}
