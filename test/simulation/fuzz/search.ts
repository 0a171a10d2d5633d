import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { Deployment } from '../../../packages/simulator/cloud/cloud.js';
import { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { FuzzRequest } from './request.js';
import { requestTo } from './requests.js';
import { routesOf, Target } from './target.js';

/** Number of inputs per cloud. More would make the cloud slow. */
const A_CLOUD = 500;

/** Requests of which the last one showed a fault. */
export interface Finding {
  readonly requests: readonly FuzzRequest[];
  readonly faults: readonly string[];
}

export interface Search {
  readonly seed: number;
  /** @default no end */
  readonly inputs?: number;
  /** @default no end */
  readonly milliseconds?: number;
}

export interface Searched {
  readonly inputs: number;
  /** Number of answers by status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** First fault, reduced to the fewest and simplest requests that show it. */
  readonly finding?: Finding;
}

/** Sends generated requests until one shows a fault or the limit is reached. */
export async function search(deployment: Deployment, { seed, inputs, milliseconds }: Search): Promise<Searched> {
  const statuses: Record<number, number> = {};
  let [target, count] = [await Target.prepared(deployment), 0];
  let first: Finding | undefined;
  const property = fc.asyncProperty(
    requestTo(routesOf(new Cloud(deployment, { seed: 'routes', keepTrace: false }))),
    async (request) => {
      if (first) {
        // From here on the input is being reduced: each attempt has a cloud of its own.
        const { faults } = await played(deployment, [request]);
        if (faults.length > 0) throw new Error(faults.join('\n'));
        return;
      }
      if (target.asked.length === A_CLOUD) {
        target.end();
        target = await Target.prepared(deployment);
      }
      const { status, faults } = await target.ask(request);
      statuses[status] = (statuses[status] ?? 0) + 1;
      count++;
      if (faults.length === 0) return;
      first = { requests: [...target.asked], faults };
      throw new Error(faults.join('\n'));
    },
  );
  const { counterexample, failed, errorInstance } = await fc.check(property, {
    seed,
    numRuns: inputs ?? Number.MAX_SAFE_INTEGER,
    ...(milliseconds !== undefined && { interruptAfterTimeLimit: milliseconds }),
  });
  // Not a fault of Orderly, but a mistake in this code.
  if (failed && !first) throw errorInstance;
  if (!first) return { inputs: count, statuses };
  const alone = await played(deployment, [counterexample?.[0] as FuzzRequest]);
  const finding = alone.faults.length > 0 ? alone : await fewest(deployment, first);
  return { inputs: count, statuses, finding };
}

/** Sends requests in a cloud of their own. @returns the faults of the first request that shows some, and the requests up to it */
export async function played(deployment: Deployment, requests: readonly FuzzRequest[]): Promise<Finding> {
  const target = await Target.prepared(deployment);
  for (const request of requests) {
    const { faults } = await target.ask(request);
    if (faults.length > 0) return { requests: [...target.asked], faults };
  }
  target.end();
  return { requests, faults: [] };
}

/** Removes as many requests as possible, in halves, quarters and so on, while a fault still shows. */
async function fewest(deployment: Deployment, finding: Finding): Promise<Finding> {
  let best = finding;
  for (let size = Math.ceil(best.requests.length / 2); ; size = Math.ceil(size / 2)) {
    for (let at = 0; at + 1 < best.requests.length; ) {
      const end = Math.min(at + size, best.requests.length - 1);
      const less = await played(deployment, best.requests.toSpliced(at, end - at));
      if (less.faults.length > 0) best = less;
      else at = end;
    }
    if (size === 1) return best;
  }
}

const FOLDER = fileURLToPath(new URL('found/', import.meta.url));

/** Returns every stored finding by its file name. The folder is absent if there is none. */
export const kept = (): readonly (readonly [name: string, Finding])[] =>
  (existsSync(FOLDER) ? readdirSync(FOLDER) : [])
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => [file.replace(/\.json$/, ''), JSON.parse(readFileSync(FOLDER + file, 'utf8')) as Finding] as const);

/** Stores a finding. It stays after the fix, and `npm test` plays it. @returns path of its file */
export function keep(finding: Finding): string {
  const text = `${JSON.stringify(finding, undefined, 2)}\n`;
  const last = finding.requests.at(-1);
  const [resource = 'root'] = /[a-z-]+/.exec(last?.path ?? '') ?? [];
  const file = `${FOLDER}${last?.method.toLowerCase()}-${resource}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.json`;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, text);
  return file;
}
