import type { Cloud } from '../cloud/cloud.js';
import { withoutTime } from './invocations.js';
import type { Stimulus } from './stimulus.js';

/** Characters of an answer that are shown. */
const SHOWN = 200;
/** An error that no function logs: what an API may not call, and a request to a service that its template can't make. */
const OF_GATEWAY = /(?:^\S+ | )(DENIED .*|(?:\S+ call \d+|the event of \S+) can't be made: .*)$/;
const ENDED = /^\S+ (.+) invocation \d+ failed (.*)$/;

/** Part of a history in which something went wrong. */
interface Part {
  /** Its lines in the trace, each with its time. */
  readonly lines: readonly string[];
  /** Labels of the functions that had to do it. */
  readonly by: readonly string[];
  /** The answer that the client got, with its status. */
  readonly answer?: string | undefined;
}

/** Names the error by which a message was lost: of a function that the line of its loss names, or else of any. */
export const describeErrorOfLoss = (cloud: Cloud, lost: string): string =>
  describe(cloud, { lines: cloud.world.trace.lines, by: labelsOf(cloud).filter((label) => isNamed(label, lost)) });

/** Names the first error of a whole history. */
export const describeFirstError = (cloud: Cloud): string => describe(cloud, { lines: cloud.world.trace.lines, by: [] });

/**
 * Names the error by which a request wasn't answered: of the function that served it, or else of another one while the client waited. Without an
 * error of the former it shows the answer, too.
 */
export function describeErrorOfRequest(cloud: Cloud, stimulus: Stimulus): string {
  const { lines } = cloud.world.trace;
  const asked = `client ${stimulus.name}`;
  const end = lines.findIndex((line) => withoutTime(line).startsWith(`${asked} -> 5`));
  const answered = end < 0 ? lines.length : end;
  const begin = lines.slice(0, answered).findLastIndex((line) => withoutTime(line) === asked);
  const answer = lines[end] && withoutTime(lines[end]).slice(`${asked} -> `.length);
  return describe(cloud, {
    lines: lines.slice(Math.max(begin, 0), answered + 1),
    by: findServing(cloud, stimulus),
    answer,
  });
}

function describe({ log }: Cloud, { lines, by, answer }: Part): string {
  const [from, until] = [lines[0], lines.at(-1)].map((line = '') => Date.parse(line.split(' ')[0] as string));
  const logged = log
    .filter(({ level, at }) => level === 'error' && at >= Number(from) && at <= Number(until))
    .map(({ fn, text }) => ({ fn, text }));
  const failed = lines.flatMap((line) => {
    const [, fn, text = ''] = ENDED.exec(line) ?? [];
    return fn === undefined ? [] : [{ fn, text }];
  });
  const errors = [...logged, ...failed];
  const own = errors.find(({ fn }) => by.includes(fn));
  const error = own ?? errors[0];
  const [ofGateway] = lines.flatMap((line) => OF_GATEWAY.exec(line)?.[1] ?? []);
  const found = error ? `${error.fn}: ${error.text}` : (ofGateway ?? 'its functions have logged none');
  // An error of another function need not be the cause.
  return `; first error: ${found}${answer && !own ? `; its answer: ${answer.slice(0, SHOWN)}` : ''}`;
}

/** Returns the labels of the functions that answer a request. */
function findServing(cloud: Cloud, stimulus: Stimulus): readonly string[] {
  if ('step' in stimulus) return 'invoke' in stimulus.step ? [stimulus.step.invoke] : [];
  const [backend] = cloud.apis.flatMap((api) => api.findRoute(stimulus.method, stimulus.path)?.backend ?? []);
  const fn = backend && 'functionArn' in backend ? cloud.functions.get(backend.functionArn) : undefined;
  return fn ? [fn.label] : [];
}

/** Whether a text names a construct, or one below it, and not another one whose path begins alike. */
const isNamed = (label: string, text: string): boolean =>
  ` ${text} `
    .split(` ${label}`)
    .slice(1)
    .some((behind) => /^[ :/]/.test(behind));

const labelsOf = ({ functions }: Cloud): readonly string[] => [...functions.values()].map(({ label }) => label);
