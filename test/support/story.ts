import type { ApiRoute } from '../../tools/docs/openapi/api.js';
import { type Call, type Preparation, resolveReferences } from '../../tools/docs/openapi/story.js';
import type { ApiAnswer, Caller, World } from '../acceptance/world.js';

/** Plays the calls of the API's document, one after the other, in a world in which nothing has happened. */
export class StoryTeller {
  /** Bodies of the answers, by the names of their calls. */
  readonly answers: Record<string, unknown> = {};

  constructor(
    private readonly world: Pick<World, 'call' | 'eventually' | 'pass'>,
    private readonly routes: readonly ApiRoute[],
  ) {}

  /** @throws {Error} if a preparation isn't accepted, or the answer isn't what is waited for */
  async play(call: Call): Promise<ApiAnswer<unknown>> {
    for (const preparation of call.first ?? []) await this.prepare(preparation);
    if (call.after !== undefined) await this.world.pass(call.after);
    const until = resolveReferences(call.until ?? {}, this.answers);
    const answer = await this.world.eventually(call.summary, async () => {
      const got = await this.send(call);
      if (!isPart(until, got.body)) throw new Error(`${got.status} ${got.text}`);
      return got;
    });
    const body = shortenAnswer(answer.body, call);
    this.answers[call.name] = body ?? (answer.text === '' ? undefined : answer.text);
    return answer;
  }

  private prepare(preparation: Preparation): Promise<void> {
    return this.world.eventually(`${preparation.operation} is accepted`, async () => {
      const { status, text } = await this.send(preparation);
      if (status >= 300) throw new Error(`${status} ${text}`);
    });
  }

  private send({ operation, as = 'alice', path, query, headers, body }: Preparation & Pick<Call, 'query'>) {
    const route = this.routes.find(({ route }) => route.id === operation)?.route;
    if (!route) throw new Error(`no route has the id ${operation}`);
    const values = resolveReferences(path ?? {}, this.answers);
    const parameters = new URLSearchParams(resolveReferences(query ?? {}, this.answers)).toString();
    return this.world.call<unknown>({
      method: route.method,
      path:
        route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? '')) +
        (parameters === '' ? '' : `?${parameters}`),
      as: findCaller(as),
      headers: resolveReferences(headers ?? {}, this.answers),
      ...(body !== undefined && { body: resolveReferences(body, this.answers) }),
    });
  }
}

/** Returns the part of an answer that an example shows. */
function shortenAnswer(value: unknown, call: Pick<Call, 'elements' | 'without'>): unknown {
  const { elements, without = [] } = call;
  if (Array.isArray(value)) return value.slice(0, elements).map((one) => shortenAnswer(one, call));
  if (typeof value !== 'object' || value === null) return value;
  const shown = Object.entries(value).filter(([name]) => !without.includes(name));
  return Object.fromEntries(shown.map(([name, one]) => [name, shortenAnswer(one, call)]));
}

const findCaller = (name: string): Caller => (name === 'operator' || name === 'nobody' ? name : { customer: name });

/** Tells whether a value has all members of a part, at any depth. */
function isPart(part: unknown, value: unknown): boolean {
  if (typeof part !== 'object' || part === null) return part === value;
  if (typeof value !== 'object' || value === null) return Object.keys(part).length === 0;
  return Object.entries(part).every(([name, member]) => isPart(member, (value as Record<string, unknown>)[name]));
}

/**
 * Compares answers, except for what each history chooses itself: ids, times, durations, cursors and hashes. Such a text may be another
 * one, but the same wherever the other one was.
 * @returns the places that differ, as lines
 */
export function differences(
  documented: unknown,
  seen: unknown,
  chosen: Map<string, string>,
  at = '',
): readonly string[] {
  if (isObject(documented) && isObject(seen)) {
    return [...new Set([...Object.keys(documented), ...Object.keys(seen)])].flatMap((name) =>
      name === 'milliseconds' || name === 'seconds'
        ? []
        : differences(documented[name], seen[name], chosen, `${at}/${name}`),
    );
  }
  if (typeof documented === 'string' && typeof seen === 'string' && isChosen(documented) && isChosen(seen)) {
    const known = chosen.get(documented) ?? seen;
    chosen.set(documented, known);
    if (known === seen) return [];
  } else if (documented === seen || isSameSentence(documented, seen)) return [];
  return [`${at}: documented ${JSON.stringify(documented)}, seen ${JSON.stringify(seen)}`];
}

/** Tells whether two sentences differ in the times that they name only. */
const isSameSentence = (documented: unknown, seen: unknown): boolean =>
  typeof documented === 'string' && typeof seen === 'string' && withoutTimes(documented) === withoutTimes(seen);

const withoutTimes = (sentence: string): string => sentence.replaceAll(/ \d{4}-\d\d-\d\dT[\d:.]+Z/g, ' <time>');

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** A UUID, a hash, a day or time, a cursor, alone or at the end of a URN; or a secret. */
const isChosen = (text: string): boolean =>
  text.startsWith('whsec_') ||
  /(^|[:_])([0-9a-f]{32}|[0-9a-f-]{36}|\d{4}-\d\d-\d\d(T[\d:.]+Z)?|[\w-]{40,})$/.test(text);
