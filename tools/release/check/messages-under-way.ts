import type { SimulatedIssuer } from '../../../packages/simulator/client/issuer.js';
import type { Releases } from '../../../packages/simulator/releases/mixed-sets.js';
import {
  type Journey,
  type MixedSetReport,
  type MixedSetTrouble,
  playMixedSets,
} from '../../../packages/simulator/releases/under-way.js';
import { type Finding, Findings } from './findings.js';
import { OrderJourney } from './order-journey.js';

/** Messages that a finding names. */
const MOST_NAMED = 3;

/** Orders that went through each set of old and new stacks, and what was wrong with them. */
export interface OrdersUnderWay extends Pick<MixedSetReport, 'sets' | 'works'> {
  readonly environment: string;
  /** Number of messages that were on their way when a stack was deployed, of all stacks. */
  readonly underWay: number;
  readonly findings: readonly Finding[];
}

/**
 * Plays orders while one release is deployed over another, and says which of them were lost, done twice or got stuck.
 * @param issuer whose tokens both releases take
 */
export const playOrders = (environment: string, releases: Releases, issuer: SimulatedIssuer): Promise<OrdersUnderWay> =>
  playWork(environment, releases, new OrderJourney(issuer));

/** Does the same with any work. */
export async function playWork(environment: string, releases: Releases, journey: Journey): Promise<OrdersUnderWay> {
  const { sets, works, underWay, troubles } = await playMixedSets(releases, journey);
  const findings = new Findings();
  for (const trouble of troubles) findings.add(toFinding(environment, trouble));
  // A stack that finds no message on its way shows nothing, so the play would be green whatever happens to messages.
  for (const at of underWay.flatMap((count, stack) => (count === 0 ? [stack] : [])))
    findings.add({
      kind: 'unknown-set',
      environment,
      where: `deployment ${at + 1} of ${underWay.length}`,
      what: 'no message was on its way when its stack was deployed',
      mend: 'let the journey begin more work before it',
    });
  return {
    environment,
    sets,
    works,
    underWay: underWay.reduce((sum, count) => sum + count, 0),
    findings: findings.all,
  };
}

const MENDS: Readonly<Record<MixedSetTrouble['kind'], string>> = {
  lost: 'let the old stacks read what the new ones write, and the reverse, for one release',
  twice: 'keep the names and records by which a repeat is recognised: consumers, keys, tables',
  stuck:
    'let both releases answer the messages of the other one: a new version is written in the release after the one that reads it',
};

function toFinding(environment: string, { kind, work, detail, set, messages }: MixedSetTrouble): Finding {
  const named = messages.slice(0, MOST_NAMED).map(({ where, text }) => `${describeMessage(text)} in ${where}`);
  const more = messages.length > MOST_NAMED ? `, and ${messages.length - MOST_NAMED} more` : '';
  return {
    kind: `work-${kind}`,
    environment,
    where: work,
    what: `${detail}${named.length > 0 ? `; left: ${named.join(', ')}${more}` : ''} (when ${set})`,
    mend: MENDS[kind],
  };
}

/** Names a message by its type and its id, whether it is an event of the bus or an envelope alone. */
function describeMessage(text: string): string {
  try {
    const { detail, ...outer } = JSON.parse(text) as Record<string, unknown> & { readonly detail?: object };
    const { type = outer['detail-type'] ?? outer.eventName, id = outer.id ?? outer.eventID } = (detail ?? outer) as {
      readonly type?: unknown;
      readonly id?: unknown;
    };
    return [type, id].filter((part) => part !== undefined).join(' ') || 'a message';
  } catch {
    return 'a message that is no JSON';
  }
}
