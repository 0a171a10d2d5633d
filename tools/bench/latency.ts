import { Random } from '../../packages/simulator/engine/random.js';
import { money, table } from '../cost/tables.js';
import { countHops, type Hops } from './hops.js';

// npm run bench:latency: how long an order takes on AWS from POST to APPROVED, as far as published latencies tell. Its hops and
// provider calls are counted in the trace of an order that the simulator plays; no time is measured.

const DRAWS = 20_000;

/** Latencies in milliseconds: uniform, or log-normal by median and 99th percentile. */
const LATENCIES = {
  stream: {
    draw: (random: Random) => random.between(0, 250) + 20,
    says: '0 to 250, and 20 to read and to invoke',
    source: 'Lambda polls each shard of a stream 4 times a second (AWS, "Using AWS Lambda with Amazon DynamoDB")',
  },
  putEvents: { draw: logNormal(15, 60), says: 'median 15, p99 60, and 5 for the code', source: 'assumed' },
  bus: {
    draw: logNormal(50, 117),
    says: 'median 50, p90 80, p99 117',
    source: 'p90 80 ms end to end (AWS Architecture Blog, 2026-02-04, Amazon Key); the rest assumed log-normal',
  },
  queue: {
    draw: logNormal(15, 100),
    says: 'median 15, p99 100, and 10 to invoke',
    source: 'assumed: Lambda polls queues without a pause',
  },
  load: {
    draw: logNormal(6, 40),
    says: 'median 6, p99 40, and 8 for the code',
    source: 'single-digit milliseconds (Amazon DynamoDB, "Features"); p99 assumed',
  },
  transaction: { draw: logNormal(12, 60), says: 'median 12, p99 60', source: 'assumed: two phases of a write' },
  provider: { draw: logNormal(500, 2_000), says: 'median 500, p99 2,000', source: 'assumed of Stripe' },
} as const;

/** Prints the table. */
export async function main(): Promise<number> {
  const hops = await countHops();
  console.log(
    `An order of a returning customer, played in the simulator: ${hops.messages.length} hops, ${hops.providerCalls} calls of the provider.\n${hops.messages.join(' -> ')}\n`,
  );
  const random = new Random('latency');
  const draws = Array.from({ length: DRAWS }, () => draw(hops, random)).toSorted((one, other) => one - other);
  const hop = Array.from({ length: DRAWS }, () => drawHop(random)).toSorted((one, other) => one - other);
  const row = (name: string, all: readonly number[]) => [
    name,
    ...[0.5, 0.9, 0.99].map((share) => percentile(all, share)),
  ];
  console.log(
    table(
      ['milliseconds, without cold starts', 'p50', 'p90', 'p99'],
      [row('placed -> approved', draws), row('one hop', hop)],
    ),
  );
  console.log(
    `\n${table(
      ['latency', 'milliseconds', 'source'],
      Object.entries(LATENCIES).map(([name, { says, source }]) => [name, says, source]),
    )}`,
  );
  return 0;
}

/** A hop: commit, stream, relay, bus, queue, consumer with its load and its transaction. */
function drawHop(random: Random): number {
  const { stream, putEvents, bus, queue, load, transaction } = LATENCIES;
  const relay = 5 + putEvents.draw(random);
  const consumer = 10 + 8 + load.draw(random) + transaction.draw(random);
  return stream.draw(random) + relay + bus.draw(random) + queue.draw(random) + consumer;
}

function draw({ messages, providerCalls }: Hops, random: Random): number {
  let sum = 0;
  for (const _ of messages) sum += drawHop(random);
  for (let call = 0; call < providerCalls; call++) sum += LATENCIES.provider.draw(random);
  return sum;
}

function logNormal(median: number, p99: number) {
  return (random: Random): number => {
    const normal = Math.sqrt(-2 * Math.log(1 - random.fraction())) * Math.cos(2 * Math.PI * random.fraction());
    return median * Math.exp((Math.log(p99 / median) / 2.326) * normal);
  };
}

const percentile = (sorted: readonly number[], share: number): string =>
  money(Math.max(100, Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)));
