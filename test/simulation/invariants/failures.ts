import type { Violation } from '../../../packages/simulator/search/scenario.js';
import type { Facts, MessageRecord } from '../../support/simulation/facts.js';
import { violation } from './violation.js';

/** Maximum number of failures in a report: one cause leads to many. */
const MOST = 3;

/**
 * Checks that nothing fails without a reason. A transient fault leaves no work to an operator: a failure record may
 * only remain for a failure that the scenario means to cause, or for an event that EventBridge could not deliver for a
 * day. No saga is stuck at the end, not even a saga that the scenario meant to be stuck. If no fault was made and none
 * is meant, no invocation fails either.
 */
export function nothingFails(facts: Facts, meant?: (record: MessageRecord) => boolean): readonly Violation[] {
  const { injected: made } = facts.orderly.cloud.faults;
  const lasting = made.some(({ kind }) => kind === 'undeliverable');
  const records = [...facts.records.values()].filter(
    (record) => record.status === 'FAILED' && !meant?.(record) && !(lasting && isUndelivered(record)),
  );
  const invocations =
    made.length > 0 || meant ? [] : facts.orderly.cloud.world.trace.lines.filter((line) => FAILED.test(line));
  return [
    ...(lasting ? [] : [...facts.stuck])
      .slice(0, MOST)
      .map((id) => violation('a transient fault leaves no saga stuck', id, id)),
    ...invocations.slice(0, MOST).map((line) => violation('no invocation fails without a fault', line)),
    ...records
      .slice(0, MOST)
      .map(({ pk, failures }) =>
        violation(
          'a transient fault leaves no failure record',
          `${pk}: ${failures?.[0]?.name} ${failures?.[0]?.message}`,
          pk,
        ),
      ),
  ];
}

/** Checks that the list of failures, an index, names only what has failed. */
export function listedHasFailed(facts: Facts): readonly Violation[] {
  return [...facts.records.values()]
    .filter(({ status, failedConsumer }) => failedConsumer !== undefined && status !== 'FAILED')
    .map(({ pk, status }) => violation('the list of failures names only what has failed', `${pk}: ${status}`, pk));
}

/** Milliseconds for which the item of a step names its first failure (decision 0184). */
const STEP_KEPT = 35 * 86_400_000;

export const ONE_FAILURE = 'a step has one failure record';

/**
 * Checks that the commands of one step, however often it is sent again within 35 days, leave one failure to an operator. An
 * answer that is given again is an event of its own: if EventBridge can deliver neither, or both come too late, both are failures.
 */
export function oneFailureForAStep(facts: Facts): readonly Violation[] {
  const steps = new Map<string, { readonly pk: string; readonly at: number; readonly reason: string | undefined }[]>();
  for (const record of facts.records.values()) {
    const { pk, status, payload = '', failures = [] } = record;
    const [, type = '', step] = /"detail-type":"(\w+)".*"stepId":"([^"]+)"/.exec(payload) ?? [];
    if (status !== 'FAILED' || step === undefined) continue;
    if (type === 'SagaReplyRequested' && (isUndelivered(record) || failures[0]?.name === 'TooOld')) continue;
    const asked = `${pk.slice(0, pk.indexOf('@'))} ${type} ${step}`;
    const first = { pk, at: Date.parse(failures.at(-1)?.at ?? ''), reason: failures[0]?.name };
    steps.set(asked, [...(steps.get(asked) ?? []), first]);
  }
  return [...steps].flatMap(([asked, records]) => {
    const inOrder = records.toSorted((one, other) => one.at - other.at);
    const again = inOrder.find(({ at }, n) => n > 0 && !(at - (inOrder[n - 1]?.at ?? 0) >= STEP_KEPT));
    const reasons = records.map(({ reason }) => reason).join(', ');
    return again ? [violation(ONE_FAILURE, `${asked}: ${records.length} records (${reasons})`, again.pk)] : [];
  });
}

/**
 * Checks that a command counts as a repeat only of a command of the same step: the failures of other steps are visible on their
 * own, and a redrive of the first one does not redrive them.
 */
export function repeatsAreOfTheirStep(facts: Facts): readonly Violation[] {
  const stepOf = (id: string): unknown =>
    (facts.published.get(id)?.detail as { data?: { stepId?: string } })?.data?.stepId;
  return [...facts.records.values()].flatMap(({ pk, status, repeats = '' }) => {
    if (status !== 'REPEATED') return [];
    const [own, first] = [stepOf(pk.slice(pk.indexOf('#') + 1)), stepOf(repeats)];
    if (own === undefined || first === undefined || own === first) return [];
    return [violation('a command is a repeat of one of its own step', `${pk} of ${own} repeats ${first}`, pk)];
  });
}

/** Attempts of a message in an inbox, which are one fewer than those of a consumer. */
const LEAST_ATTEMPTS = 15;

/** Checks that a type or a version that is not known fails after its last attempt: a deployment may be under way. */
export function newerIsTriedAgain(facts: Facts): readonly Violation[] {
  return [...facts.records.values()]
    .filter(({ status, failures = [] }) => status === 'FAILED' && failures.every(({ message }) => NEWER.test(message)))
    .flatMap(({ pk, attempts = 0 }) =>
      attempts < LEAST_ATTEMPTS
        ? [violation('what a newer release may have sent is tried to its last attempt', `${pk}: ${attempts}`, pk)]
        : [],
    );
}

const NEWER = /^NEWER_(TYPE|VERSION)/;

const FAILED = / invocation \d+ failed/;

const isUndelivered = ({ failures = [] }: MessageRecord): boolean =>
  failures.some(({ message }) => message.startsWith('EventBridge could not deliver it'));
