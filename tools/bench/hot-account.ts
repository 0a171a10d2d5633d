import { Assembly, type TemplateChange } from '../../packages/simulator/assembly/assembly.js';
import type { JsonObject } from '../../packages/simulator/assembly/intrinsics.js';
import { Cloud, Deployment } from '../../packages/simulator/cloud/cloud.js';
import { assembly, DEV } from '../local/assembly.js';

// npm run bench:hot-account: orders of one customer at once, in the simulator, with its model of transaction conflicts and
// latencies. The account holds an amount for each order, and then receives of all charges and approvals. Side by side: a plain
// transaction for each message, and the lane.

const ORDERS = 160;
/** Number of orders that start the functions before. */
const WARMING = 200;
const AMOUNT = 350;
/** Goals of the lane: share of the transactions that others refuse, and its rate beside that of plain transactions. */
const MAX_REFUSED_SHARE = 0.1;
const MIN_SPEEDUP = 5;
const CUSTOMER = 'company';
/** Customer with half of the orders that start the functions before. */
const WARM = 'warm';
const CONSUMERS = ['Accounts/OnCommands', 'Accounts/OnOrderEnds', 'Accounts/OnSettlements'];
const WRITER = 'Accounts/AccountsLane/Writer';

interface Way {
  readonly name: string;
  /** Variables of the consumers. */
  readonly variables: Readonly<Record<string, string>>;
}

const NEVER_HOT = { LANE_HOT_KEYS: '[]', LANE_CONFLICTS_PER_SECOND: '1000000' };
const WAYS: readonly Way[] = [
  { name: 'plain transaction', variables: NEVER_HOT },
  { name: 'lane, by setting', variables: { ...NEVER_HOT, LANE_HOT_KEYS: JSON.stringify([CUSTOMER, WARM]) } },
  { name: 'lane, by itself', variables: {} },
];

type Resources = Readonly<Record<string, { readonly Type: string; readonly Properties: JsonObject }>>;

/** Returns the deployment of one way, without a relay. */
function createDeployment(folder: string, { variables }: Way): Deployment {
  const change: TemplateChange = (template, stack) => {
    if (!stack.endsWith('Accounts')) return template;
    const resources = Object.entries(template.Resources as unknown as Resources).map(([id, resource]) => {
      const { Type, Properties } = resource;
      if (Type === 'AWS::Lambda::EventSourceMapping' && id.startsWith('OutboxStream')) {
        return [id, { ...resource, Properties: { ...Properties, Enabled: false } }];
      }
      if (Type === 'AWS::Lambda::Function' && CONSUMERS.some((label) => id.startsWith(label.slice(9)))) {
        const { Variables } = Properties.Environment as { readonly Variables: JsonObject };
        const Environment = { Variables: { ...Variables, ...variables } };
        return [id, { ...resource, Properties: { ...Properties, Environment } }];
      }
      return [id, resource];
    });
    return { ...template, Resources: Object.fromEntries(resources) };
  };
  return new Deployment(new Assembly(folder, change));
}

interface Measured {
  /** Seconds until the last order was authorised, and until the last one was settled and captured. */
  readonly authorized: number;
  readonly ended: number;
  readonly transactions: number;
  readonly refused: number;
  readonly calls: number;
  readonly isExact: boolean;
}

async function play(deployment: Deployment): Promise<Measured> {
  const cloud = new Cloud(deployment, { seed: 'hot-account', keepTrace: false });
  const { world } = cloud;
  const random = world.random.fork('orders');
  const orders = random.shuffle(
    Array.from({ length: ORDERS }, (_, number) => ({ orderId: `order-${number}`, customerId: CUSTOMER })),
  );
  const phase = async (send: () => void): Promise<number> => {
    const begun = world.now;
    send();
    await world.settle();
    const changed = cloud.tableCalls.filter(({ fn, effects }) => isAccounts(fn) && effects.changes.length > 0);
    return (Math.max(...changed.map(({ at }) => at)) - begun) / 1000;
  };
  const send = (queue: string, body: string) => cloud.queue(queue).send({ body, group: CUSTOMER });
  const begin = (order: Order) => send('Accounts/Commands/Queue', authorize(order, random.id(), world.now));
  const end = (order: Order) => {
    send('Accounts/Settlements/Queue', charged(order, random.id(), world.now));
    send('Accounts/OrderEnds/Queue', approved(order, random.id(), world.now));
  };
  for (const step of [begin, end]) {
    for (let number = 0; number < WARMING; number++) {
      step({ orderId: `warm-${number}`, customerId: number % 2 ? WARM : `warm-${number}` });
    }
    await world.settle();
  }
  const from = cloud.tableCalls.length;
  const authorized = await phase(() => orders.forEach(begin));
  const ended = await phase(() => orders.forEach(end));
  const calls = cloud.tableCalls.slice(from).filter(({ fn }) => isAccounts(fn));
  const transactions = calls.filter(({ operation }) => operation === 'TransactWriteItems');
  return {
    authorized,
    ended,
    transactions: transactions.length,
    refused: transactions.filter(({ effects }) => effects.changes.length === 0).length,
    calls: calls.length,
    isExact: isExact(cloud),
  };
}

const isAccounts = (fn: string): boolean => CONSUMERS.includes(fn) || fn === WRITER;

/** Checks that each order was authorised, settled and captured once, at versions without a gap. */
function isExact(cloud: Cloud): boolean {
  const commits = cloud
    .listItems('Accounts/Outbox/Table')
    .filter(({ pk, sk }) => pk === `Account#${CUSTOMER}` && String(sk).startsWith('COMMIT#'));
  const events = commits.flatMap(({ events }) => events as readonly { readonly type: string; readonly data: string }[]);
  const ordersOf = (type: string): number =>
    new Set(events.flatMap((event) => (event.type === type ? [JSON.parse(event.data).orderId] : []))).size;
  return (
    events.length === 1 + 3 * ORDERS &&
    commits.at(-1)?.lastVersion === events.length &&
    ['AccountAuthorized', 'CreditSettled', 'AuthorizationCaptured'].every((type) => ordersOf(type) === ORDERS)
  );
}

const eur = (amount: number) => ({ amount, currency: 'EUR' });

interface Order {
  readonly orderId: string;
  readonly customerId: string;
}

function authorize(order: Order, id: string, now: number): string {
  const data = { ...order, stepId: `${order.orderId}/authorize`, amount: eur(AMOUNT) };
  return message({ id, now, from: 'orders', to: 'accounts', type: 'AuthorizeAccount', of: 'CreateOrderSaga', data });
}

const charged = (order: Order, id: string, now: number): string =>
  message({
    id,
    now,
    from: 'payments',
    type: 'PaymentCharged',
    of: 'Payment',
    data: { paymentId: order.orderId, ...order, amount: eur(AMOUNT) },
  });

const approved = (order: Order, id: string, now: number): string =>
  message({ id, now, from: 'orders', type: 'OrderApproved', of: 'Order', data: { ...order } });

interface Sent {
  readonly id: string;
  readonly now: number;
  readonly from: string;
  readonly to?: string;
  readonly type: string;
  readonly of: string;
  readonly data: Order & JsonObject;
}

function message({ id, now, from, to, type, of, data }: Sent): string {
  const detail = {
    id,
    source: `orderly.${from}`,
    ...(to === undefined ? {} : { to }),
    type,
    subject: `${of}/${data.orderId}`,
    time: new Date(now).toISOString(),
    dataschema: `urn:orderly:${to ?? from}:${type}:1`,
    data,
    sequence: 1,
    epoch: 0,
    correlationid: data.orderId,
    causationid: data.orderId,
    traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    actor: 'service:orders',
    onbehalfof: `customer:${data.customerId}`,
  };
  return JSON.stringify({ source: detail.source, 'detail-type': detail.type, detail });
}

/** Prints the table. @returns 1 if an account is not exact, or the lane misses its goal */
export async function main(): Promise<number> {
  const folder = assembly(DEV);
  console.log(
    '| way | authorised after | orders a second | settled and captured after | transactions | refused | calls a message | account |',
  );
  console.log('|---|---|---|---|---|---|---|---|');
  let missed = false;
  let plain = 0;
  for (const way of WAYS) {
    const { authorized, ended, transactions, refused, calls, isExact } = await play(createDeployment(folder, way));
    const [rate, share] = [ORDERS / authorized, refused / transactions];
    const percent = Math.round(100 * share);
    console.log(
      `| ${way.name} | ${authorized.toFixed(1)} s | ${rate.toFixed(0)} | ${ended.toFixed(1)} s | ${transactions} | ${refused} (${percent} %) | ${(calls / (3 * ORDERS)).toFixed(2)} | ${isExact ? 'exact' : 'WRONG'} |`,
    );
    plain ||= rate;
    const isLane = way.name.startsWith('lane');
    missed ||= !isExact || (isLane && (share > MAX_REFUSED_SHARE || rate < MIN_SPEEDUP * plain));
  }
  return missed ? 1 : 0;
}
