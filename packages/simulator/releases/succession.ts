import { Cloud, type Deployment } from '../cloud/cloud.js';
import type { CloudOptions } from '../cloud/cloud-options.js';
import { restoreState, type SavedState, saveState } from '../live/state.js';

/** A message that was on its way when an account was replaced. */
export interface MessageUnderWay {
  /** Where it was: the label of its queue or of the mapping that had read it, or the rule that was to deliver it. */
  readonly where: string;
  /** Its content as text. */
  readonly text: string;
}

/** An account with the next set of stacks. */
export interface Succession {
  readonly cloud: Cloud;
  /** Messages that were on their way. */
  readonly underWay: readonly MessageUnderWay[];
  /** Messages whose queue or mapping the next set doesn't have: they are lost with it. */
  readonly homeless: readonly MessageUnderWay[];
}

/**
 * Lets an account go on with other templates and other code, at the same time, with what it has stored and what is on its way. An
 * invocation that runs ends, as by a crash: its message comes again.
 * @param number of this succession in its history. No random number of it comes again
 */
export function succeed(
  cloud: Cloud,
  deployment: Deployment,
  options: CloudOptions & { readonly keySeed: string },
  number: number,
): Succession {
  const state = saveState(cloud, options.keySeed);
  const underWay = listUnderWay(cloud, state);
  cloud.end();
  const next = new Cloud(deployment, { ...options, seed: `${options.seed}/${number}`, begins: state.now });
  restoreState(next, state);
  const places = new Set([
    ...[...next.queues.values()].map(({ label }) => label),
    ...next.streams.map(({ label }) => label),
    ...next.events.rules.list().map(({ resource }) => resource.label),
  ]);
  return { cloud: next, underWay, homeless: underWay.filter(({ where }) => !places.has(where)) };
}

function listUnderWay({ queues, events }: Cloud, { streams, deliveries }: SavedState): readonly MessageUnderWay[] {
  const rules = new Map(events.rules.list().map(({ resource }) => [resource.arn, resource.label]));
  return [
    ...[...queues.values()].flatMap((queue) =>
      queue.listMessages().map(({ body }) => ({ where: queue.label, text: body })),
    ),
    ...Object.entries(streams).flatMap(([where, records]) =>
      records.map((record) => ({ where, text: JSON.stringify(record) })),
    ),
    ...deliveries.map(({ rule, event }) => ({ where: rules.get(rule) ?? rule, text: JSON.stringify(event) })),
  ];
}
