import type { Violation } from '../../../packages/simulator/search/scenario.js';
import type { Facts, MessageRecord } from '../support/facts.js';
import { violation } from './violation.js';

/** Most failures that are shown: one cause makes many. */
const MOST = 3;

/**
 * Nothing fails without a reason. A fault that passes leaves nothing to an operator: only what the scenario means to
 * fail, and what EventBridge could not hand over for a day, may be left in a failure record; and no saga is stuck in the
 * end, be it meant to have been. Where no fault was made and none is meant, no invocation fails either.
 */
export function nothingFails(facts: Facts, meant?: (record: MessageRecord) => boolean): readonly Violation[] {
  const { made } = facts.orderly.cloud.faults;
  const lasting = made.some(({ kind }) => kind === 'undeliverable');
  const records = [...facts.records.values()].filter(
    (record) => record.status === 'FAILED' && !meant?.(record) && !(lasting && isUndelivered(record)),
  );
  const invocations =
    made.length > 0 || meant ? [] : facts.orderly.cloud.world.trace.lines.filter((line) => FAILED.test(line));
  return [
    ...(lasting ? [] : [...facts.stuck])
      .slice(0, MOST)
      .map((id) => violation('a passing fault leaves no saga stuck', id, id)),
    ...invocations.slice(0, MOST).map((line) => violation('nothing fails unprovoked', line)),
    ...records
      .slice(0, MOST)
      .map(({ pk, failures }) =>
        violation('a passing fault leaves no failure', `${pk}: ${failures?.[0]?.name} ${failures?.[0]?.message}`, pk),
      ),
  ];
}

const FAILED = / invocation \d+ failed/;

const isUndelivered = ({ failures = [] }: MessageRecord): boolean =>
  failures.some(({ message }) => message.startsWith('EventBridge could not deliver it'));
