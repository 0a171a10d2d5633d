import { buildHistory } from '../order/build-history.js';
import type { History } from '../order/history.js';
import type { HistoryHappening, OpenedHistory } from '../server/histories-contract.js';

/**
 * Returns a simulated history as the picture of one order: everything that belongs to what broke a promise, or everything if no promise
 * is broken. It is a pure function.
 */
export function toPicture({ faults, violations, happenings }: OpenedHistory): History {
  const chosen = chooseHappenings(
    happenings,
    violations.flatMap(({ about }) => about ?? []),
  );
  // The picture is of one correlation id, and a history has several.
  const together = chosen.map((one) => (one.correlationId === undefined ? one : { ...one, correlationId: TOGETHER }));
  const title = faults.length === 0 ? 'No fault' : faults.map(({ point, kind }) => `${point}: ${kind}`).join(', ');
  const [first] = violations;
  const history = buildHistory({ id: TOGETHER, happenings: together });
  return {
    ...history,
    title,
    doneTwice: countRepeated(history),
    verdict: first
      ? { state: 'failed', text: `Broken: ${first.invariant}.` }
      : { state: 'complete', text: 'Every promise was kept.' },
  };
}

const TOGETHER = 'history';

/** Counts how often a consumer applied a message that it had applied before. */
const countRepeated = ({ deliveries }: History): number =>
  deliveries
    .map(({ attempts }) => attempts.filter(({ outcome }) => outcome === 'applied').length)
    .reduce((sum, applied) => sum + Math.max(0, applied - 1), 0);

/** Returns the happenings of all correlation ids that have to do with one of the texts; all of them if there is none. */
function chooseHappenings(
  happenings: readonly HistoryHappening[],
  about: readonly string[],
): readonly HistoryHappening[] {
  const isAbout = ({ subject = '', eventId = '', correlationId = '' }: HistoryHappening): boolean =>
    about.some(
      (text) => subject.includes(text) || (eventId !== '' && text.includes(eventId)) || text === correlationId,
    );
  const wanted = new Set(happenings.filter(isAbout).flatMap(({ correlationId }) => correlationId ?? []));
  if (wanted.size === 0) return happenings;
  return happenings.filter(({ correlationId }) => correlationId === undefined || wanted.has(correlationId));
}
