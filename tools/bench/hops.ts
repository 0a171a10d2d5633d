import { Shop } from '../cost/shop.js';

/** Hops between an order's request and its approval. */
export interface Hops {
  /** Types of the messages that had to be waited for, each for the next one, up to the one whose handling approved the order. */
  readonly messages: readonly string[];
  /** Calls of the payment provider on this way. */
  readonly providerCalls: number;
}

interface Detail {
  readonly id?: string;
  readonly type?: string;
  readonly causationid?: string;
}

/**
 * Plays an order in the simulator, and follows the causes from `OrderApproved` back to the request: each event names the message
 * that caused it.
 * @throws {Error} if the order is not approved
 */
export async function countHops(): Promise<Hops> {
  const shop = await Shop.open('hops', ['rita']);
  await shop.order('rita');
  const { events, world } = shop.cloud;
  const since = events.accepted.length;
  const traced = world.trace.lines.length;
  await shop.expect([await shop.order('rita')], 'APPROVED');
  const details = events.accepted.slice(since).map(({ event }) => event.detail as Detail);
  const byId = new Map(details.map((detail) => [detail.id, detail]));
  const messages: string[] = [];
  const approved = details.find(({ type }) => type === 'OrderApproved');
  if (!approved) throw new Error('the order was not approved, so nothing can be counted');
  for (let cause = byId.get(approved.causationid); cause; cause = byId.get(cause.causationid))
    messages.unshift(cause.type ?? '?');
  return { messages, providerCalls: providerCalls(world.trace.lines.slice(traced)) };
}

/** Counts the calls of the provider before the approval is published. */
function providerCalls(lines: readonly string[]): number {
  const end = lines.findIndex((line) => line.includes('events.PutEvents') && line.includes('OrderApproved'));
  return lines.slice(0, end).filter((line) => / call \d+ (GET|POST) api\.stripe\.com/.test(line)).length;
}
