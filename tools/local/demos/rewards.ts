import type { AccountEvent } from '../../../lambdas/accounts/contract.js';
import type { RewardsView } from '../../../lambdas/rewards/contract.js';
import {
  buildEntry,
  COUNTED_TYPES,
  type CountedEvent,
  type PaidOrder,
} from '../../../lambdas/rewards/domain/entries.js';
import { addEntry, findTier, initialStanding, type Tiers } from '../../../lambdas/rewards/domain/standing.js';
import { RewardsEnv } from '../../../lambdas/rewards/environment.js';
import { OPERATOR, type Stage, shortenId } from './stage.js';

const PRICE = 600_00;
const BONUS = 500;
const QUEUE = 'Rewards/AccountEvents/Queue';
/** More messages than come while the fault is there. */
const HELD = 1_000;

/** An event in an account's history. */
type Past = AccountEvent & { readonly id: string; readonly version: number; readonly at: string };

/** The events of a purchase are held back. Its refund and a bonus arrive before it. */
export async function play(stage: Stage): Promise<void> {
  const dora = stage.named('dora');
  const sku = await stage.article('sofa', { price: PRICE, customers: [dora] });
  const history = async () =>
    (await stage.do<{ items: readonly Past[] }>(OPERATOR, `GET /accounts/${dora}/history`)).items;
  const event = (type: Past['type']) =>
    stage.until(`${type} of ${dora}`, async () => (await history()).find((one) => one.type === type));
  const rewards = () => stage.do<RewardsView>(dora, 'GET /rewards/me');
  const stored = (ids: readonly string[]) =>
    Promise.all(ids.map((eventId) => stage.heard('rewards-accounts', { eventId, message: 'stored' })));

  stage.tell('Dora buys a sofa for 600.00 EUR. The messages of this purchase are held back on their way to rewards:');
  const opened = await event('AccountOpened');
  await stored([opened.id]);
  await stage.fault(QUEUE, 'delayed', HELD);
  const { orderId } = await stage.place(dora, { sku, price: PRICE });
  await stage.becomes(orderId, 'APPROVED');
  const purchase = await event('AuthorizationCaptured');
  const held = (await history()).filter(({ version }) => version > opened.version && version <= purchase.version);
  await stage.until(`${held.length} held messages`, async () => {
    const { faults } = await stage.cloud.status();
    return faults.some(({ left }) => left <= HELD - held.length) || undefined;
  });
  await stage.repair();
  stage.show(`on their way: ${held.map(({ version, type }) => `${version} ${type}`).join(', ')}`);

  stage.tell('She cancels the order, and gets a bonus as an apology. Both arrive first, and wait for the purchase:');
  await stage.do(dora, `POST /orders/${orderId}/cancellation`, { key: stage.named('cancel') });
  const refund = await event('AccountRefunded');
  const body = { points: BONUS, reason: 'sorry' };
  await stage.do(OPERATOR, `POST /accounts/${dora}/bonus`, { key: stage.named('bonus'), body });
  const bonus = await event('BonusApplied');
  await stored([refund.id, bonus.id]);
  await shownWaiting(stage, dora, [refund, bonus]);
  const before = await rewards();
  stage.show(`GET /rewards/me  ${before.points} points, ${before.tier}`);

  stage.tell('The held events are sent again. The inbox processes all of them, in the order of the account:');
  for (const { id } of held) await stage.cloud.redeliver(id);
  const after = await stage.until('three entries', async () => {
    const seen = await rewards();
    return seen.entries.length === 3 ? seen : undefined;
  });
  for (const { type, points } of [...after.entries].reverse())
    stage.show(`${type.padEnd(22)}${String(points).padStart(5)}`);
  stage.show(`GET /rewards/me  ${after.points} points, ${after.tier}`);

  stage.tell('Without the pattern: a counter with the same rules, that takes the events as they arrive.');
  const tiers = (await stage.readSetting('rewards/get-my-rewards', RewardsEnv.REWARD_TIERS)) as Tiers;
  const { points, tier } = countedInTurn([refund, bonus, purchase], tiers);
  stage.show(`refund, bonus, purchase: ${points} points, and ${tier} for a year, which she never reached`);
}

/** Waits until events are in the inbox, and shows them as the operator sees them. */
async function shownWaiting(stage: Stage, customer: string, events: readonly Past[]): Promise<void> {
  const words = ['inbox', 'list', '--consumer', 'rewards-accounts', '--subject', `Account/${customer}`];
  const listed = await stage.until('the events in the inbox', async () => {
    const { messages } = JSON.parse(await stage.orderly(...words, '--json')) as InboxList;
    const rows = events.flatMap(({ id }) => messages.filter(({ messageId }) => messageId === id));
    return rows.length === events.length ? rows : undefined;
  });
  stage.show(`orderly ${words.join(' ')}`);
  for (const { state, topic, messageId } of listed) stage.show(`${state}  ${topic}  ${shortenId(messageId)}`);
}

/** JSON that `inbox list` prints. */
interface InboxList {
  readonly messages: readonly { readonly messageId: string; readonly state: string; readonly topic: string }[];
}

/** Counts events in the given order, by the rules of rewards. */
function countedInTurn(events: readonly Past[], tiers: Tiers): { readonly points: number; readonly tier: string } {
  let standing = initialStanding;
  let order: PaidOrder | undefined;
  for (const event of events.filter((one): one is Past & CountedEvent =>
    COUNTED_TYPES.some((type) => type === one.type),
  )) {
    const counted = buildEntry(event, event.at, order);
    order = counted.order ?? order;
    standing = addEntry(standing, counted.entry, tiers);
  }
  return { points: standing.points, tier: findTier(standing, events.at(-1)?.at ?? '') };
}
