import type { Commit, Facts } from '../../support/simulation/facts.js';
import { type Check, violation } from './violation.js';

/**
 * G7: everything that needs an operator has raised an alarm, perhaps more than once: the metric of an alarm is never
 * lost.
 */
export const alarms: Check = (facts) => [
  ...rang(facts, 'SagasStuck', facts.sagas, 'SagaStuck'),
  ...rang(facts, 'RefundsFailed', facts.payments, 'RefundFailed'),
];

function rang(
  { orderly }: Facts,
  metric: string,
  histories: ReadonlyMap<string, readonly Commit[]>,
  event: string,
): ReturnType<Check> {
  const counted = orderly.cloud.log.filter(({ text }) => text.includes(`"${metric}":`)).length;
  const happened = [...histories.values()]
    .flat()
    .flatMap(({ events }) => events)
    .filter(({ type }) => type === event).length;
  return counted >= happened
    ? []
    : [
        violation(
          'everything that waits for an operator raises an alarm',
          `${counted} ${metric}, ${happened} ${event}`,
        ),
      ];
}
