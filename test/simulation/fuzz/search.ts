import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { Deployment } from '../../../packages/simulator/cloud.js';
import { Cloud } from '../../../packages/simulator/cloud.js';
import type { FuzzRequest } from './request.js';
import { requestTo } from './requests.js';
import { routesOf, Target } from './target.js';

/** Inputs that one cloud is asked: more would only make it slow. */
const A_CLOUD = 500;

/** Requests, the last of which showed a fault. */
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
  /** How many answers had each status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** The first one, by the fewest and simplest requests that show it. */
  readonly finding?: Finding;
}

/** Asks requests that nobody would think of, until one shows a fault or there were enough. */
export async function search(deployment: Deployment, { seed, inputs, milliseconds }: Search): Promise<Searched> {
  const statuses: Record<number, number> = {};
  let [target, count] = [await Target.prepared(deployment), 0];
  let first: Finding | undefined;
  const property = fc.asyncProperty(
    requestTo(routesOf(new Cloud(deployment, { seed: 'routes', keepTrace: false }))),
    async (request) => {
      if (first) {
        // From here on it is made simpler: each time alone in a cloud of its own.
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
  // No fault of Orderly's: a mistake in here.
  if (failed && !first) throw errorInstance;
  if (!first) return { inputs: count, statuses };
  const alone = await played(deployment, [counterexample?.[0] as FuzzRequest]);
  const finding = alone.faults.length > 0 ? alone : await fewest(deployment, first);
  return { inputs: count, statuses, finding };
}

/** Asks requests in a cloud of their own. @returns the faults of the first that shows some, and the requests up to it */
export async function played(deployment: Deployment, requests: readonly FuzzRequest[]): Promise<Finding> {
  const target = await Target.prepared(deployment);
  for (const request of requests) {
    const { faults } = await target.ask(request);
    if (faults.length > 0) return { requests: [...target.asked], faults };
  }
  target.end();
  return { requests, faults: [] };
}

/** Leaves out as many requests as it can, in halves, quarters and so on, for as long as a fault shows. */
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

/** Every finding that is kept, by the name of its file. There is no folder as long as there is none. */
export const kept = (): readonly (readonly [name: string, Finding])[] =>
  (existsSync(FOLDER) ? readdirSync(FOLDER) : [])
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => [file.replace(/\.json$/, ''), JSON.parse(readFileSync(FOLDER + file, 'utf8')) as Finding] as const);

/** Keeps a finding for ever: it stays when it is mended, and `npm test` plays it. @returns path of its file */
export function keep(finding: Finding): string {
  const text = `${JSON.stringify(finding, undefined, 2)}\n`;
  const last = finding.requests.at(-1);
  const [resource = 'root'] = /[a-z-]+/.exec(last?.path ?? '') ?? [];
  const file = `${FOLDER}${last?.method.toLowerCase()}-${resource}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.json`;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, text);
  return file;
}
