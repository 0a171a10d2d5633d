import { readFileSync } from 'node:fs';

/**
 * A request of the story that the examples tell, and its answer.
 *
 * Texts of `path`, `query`, `headers` and `body` may refer to an earlier answer: `{{two-teas.orderId}}`, to a member of the first element
 * of a list in it: `{{deliveries.items.0.deliveryId}}`, and to the day of a time in it: `{{two-teas.placedAt:day}}`.
 */
export interface Call {
  /** Name of the example. */
  readonly name: string;
  /** Subject of the request, as a part of a sentence without a full stop. */
  readonly summary: string;
  /** Id of the operation. */
  readonly operation: string;
  /** `operator`, `nobody`, or the id of a customer. @default alice */
  readonly as?: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly status: number;
  /** Code of the problem that it is refused with. */
  readonly problem?: string;
  /** Part of the answer that is waited for. @default the first answer counts */
  readonly until?: Readonly<Record<string, unknown>>;
  /** Number of elements that the example shows of each list. @default all */
  readonly elements?: number;
  /** Members that the example leaves out, at any depth: not every world has them. @default none */
  readonly without?: readonly string[];
  /** Seconds that pass before the request. @default 0 */
  readonly after?: number;
  /** Calls that prepare this one and are no examples. Each is repeated until it is accepted. */
  readonly first?: readonly Preparation[];
}

export type Preparation = Pick<Call, 'operation' | 'as' | 'path' | 'headers' | 'body'>;

/** File with the answers of the story. `npm run docs` plays the story and writes it. */
export const KEPT_ANSWERS = new URL('answers.json', import.meta.url);

/** Answers of the story by the names of its calls. */
export type Answers = Readonly<Record<string, unknown>>;

/** Reads the answers that were kept when the story was played last. */
export const keptAnswers = (): Answers => JSON.parse(readFileSync(KEPT_ANSWERS, 'utf8')) as Answers;

/** Matches `{{two-teas.orderId}}` and `{{two-teas.placedAt:day}}`: name, path of the member, `:day`. */
export const REFERENCE = /\{\{([\w-]+)\.([\w.]+)(:day)?\}\}/g;

/** Returns the path of a member as JavaScript and JSONPath write it: `items[0].deliveryId`. */
export const memberPath = (member: string): string => member.replaceAll(/\.(\d+)/g, '[$1]');

/** Replaces references to earlier answers in a value. @throws {Error} if there is no such answer or member */
export function resolveReferences<Value>(value: Value, answers: Answers): Value {
  if (typeof value === 'string') return resolveText(value, answers) as Value;
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, answers)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, resolveReferences(item, answers)]),
  ) as Value;
}

const resolveText = (text: string, answers: Answers): string =>
  text.replaceAll(REFERENCE, (reference, name: string, member: string, day?: string) => {
    const value = member
      .split('.')
      .reduce<unknown>(
        (found, step) => (found as Readonly<Record<string, unknown>> | undefined)?.[step],
        answers[name],
      );
    if (value === undefined) throw new Error(`no answer has ${reference}`);
    return day === undefined ? String(value) : String(value).slice(0, 'yyyy-mm-dd'.length);
  });
