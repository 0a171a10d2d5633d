import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Counted } from './cases.js';
import type { CountedCase, Counts, Measure } from './counts.js';
import { MEASURES } from './counts.js';
import type { Leader } from './rivals/app/app.js';
import type { CountedRival } from './rivals/play.js';
import type { CountedWebhooks, WebhookCase } from './webhooks.js';

/** File that says what each case may use. Pages take their numbers from it. */
export const BUDGET = new URL('../../test/budget.json', import.meta.url);

/** Written counts: everything that `npm run cost` counts. */
export interface Budget extends Counted {
  /** Bytes of each function's bundle, as it is deployed. */
  readonly bundles: Readonly<Record<string, number>>;
  /** Orders with and without webhooks. */
  readonly webhooks: CountedWebhooks;
  /** The same order with Powertools and an outbox, by who leads it. */
  readonly rivals: Readonly<Record<Leader, CountedRival>>;
}

/** Measures in bytes. Few bytes more or less, as of a renamed field, are no other price. */
const IN_BYTES: readonly Measure[] = ['busBytes', 'logBytes', 'systemLogBytes'];
const TOLERANCE = 0.01;

/** How a new number is written down. */
export const ADVICE = `npm run cost -- --write writes the new numbers into test/budget.json and the pages. Commit them, and say why in the commit's body if something became dearer.`;

/** @throws {Error} if nothing was written down yet */
export function readBudget(): Budget {
  if (!existsSync(BUDGET)) throw new Error(`test/budget.json is missing. ${ADVICE}`);
  return JSON.parse(readFileSync(BUDGET, 'utf8')) as Budget;
}

export const writeBudget = (budget: Budget): void => writeFileSync(BUDGET, asText(budget));

/** What was counted: perhaps without webhooks, which `npm test` leaves to `npm run nightly`. */
type CountedBudget = Omit<Budget, 'webhooks'> & Partial<Pick<Budget, 'webhooks'>>;

/** Returns what differs, one line each: `approved: Orders/PlaceOrder reads 2.5, written down 2 (dearer)`. */
export function differences(written: Budget, { webhooks, ...counted }: CountedBudget): readonly string[] {
  const names = union(written.cases, counted.cases) as readonly (keyof Budget['cases'])[];
  return [
    ...(Object.keys(counted.rivals) as Leader[]).flatMap((leads) => [
      ...differencesOfCase(`rival, ${leads}`, written.rivals?.[leads], counted.rivals[leads]),
      ...differencesOfTransitions(leads, written.rivals?.[leads], counted.rivals[leads]),
    ]),
    ...names.flatMap((name) => differencesOfCase(name, written.cases[name], counted.cases[name])),
    ...Object.entries(webhooks?.cases ?? {}).flatMap(([name, one]) =>
      differencesOfCase(`webhooks, ${name}`, written.webhooks?.cases[name as WebhookCase], one),
    ),
    ...union(written.bundles, counted.bundles).flatMap((fn) => {
      const [before, now] = [written.bundles[fn] ?? 0, counted.bundles[fn] ?? 0];
      return isSame(before, now, TOLERANCE) ? [] : [`bundle of ${fn}: ${describe(before, now)} bytes`];
    }),
    ...union(written.placing, counted.placing).flatMap((number) => {
      const [before, now] = [written.placing[number] ?? 0, counted.placing[number] ?? 0];
      return before === now ? [] : [`placing order ${number} of an hour: ${describe(before, now)} read units`];
    }),
    ...(['triggers', 'memory'] as const).flatMap((what) =>
      union(written[what], counted[what]).flatMap((fn) => {
        const [before, now] = [written[what][fn], counted[what][fn]];
        return before === now ? [] : [`${what} of ${fn}: ${String(now)}, written down ${String(before)}`];
      }),
    ),
  ];
}

function differencesOfCase(name: string, written?: CountedCase, counted?: CountedCase): readonly string[] {
  const fns = union(written?.functions ?? {}, counted?.functions ?? {});
  const ofFunctions = fns.flatMap((fn) =>
    MEASURES.flatMap((measure) => {
      const of = (counts: Counts | undefined): number => counts?.[measure] ?? 0;
      const [before, now] = [of(written?.functions[fn]), of(counted?.functions[fn])];
      if (isSame(before, now, IN_BYTES.includes(measure) ? TOLERANCE : 0)) return [];
      return [`${name}: ${fn} ${measure} ${describe(before, now)}`];
    }),
  );
  const ofEvents = union(written?.events ?? {}, counted?.events ?? {}).flatMap((event) => {
    const [before, now] = [written?.events[event] ?? 0, counted?.events[event] ?? 0];
    return before === now ? [] : [`${name}: ${event} ${describe(before, now)}`];
  });
  return [...ofFunctions, ...ofEvents];
}

function differencesOfTransitions(
  leads: Leader,
  written: CountedRival | undefined,
  counted: CountedRival,
): readonly string[] {
  const [before, now] = [written?.transitions ?? 0, counted.transitions];
  return before === now ? [] : [`rival, ${leads}: transitions ${describe(before, now)}`];
}

const describe = (before: number, now: number): string =>
  `${now}, written down ${before} (${now > before ? 'dearer' : 'cheaper'})`;

const isSame = (before: number, now: number, tolerance: number): boolean =>
  Math.abs(now - before) <= tolerance * Math.abs(before);

const union = (one: object, other: object): readonly string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].toSorted();

/** Lays a budget out with a line for each function, so that a difference of two versions is readable. */
function asText(value: unknown, indent = ''): string {
  if (Array.isArray(value)) return JSON.stringify(value);
  const isLeaf =
    typeof value !== 'object' || value === null || Object.values(value).every((one) => typeof one !== 'object');
  if (isLeaf && (indent.length >= 6 || typeof value !== 'object')) return inOneLine(value);
  const members = Object.entries(value as object).map(
    ([name, one]) => `${indent}  ${JSON.stringify(name)}: ${asText(one, `${indent}  `)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}${indent === '' ? '\n' : ''}`;
}

const inOneLine = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? `{ ${Object.entries(value)
        .map(([name, one]) => `${JSON.stringify(name)}: ${JSON.stringify(one)}`)
        .join(', ')} }`
    : JSON.stringify(value);
