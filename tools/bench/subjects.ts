import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { BUNDLING } from '../../packages/kit/base/bundles.js';
import { Assembly } from '../../packages/simulator/assembly/assembly.js';
import type { Cloud } from '../../packages/simulator/cloud/cloud.js';
import { stripeAssembly } from '../../test/support/simulation/assembly.js';
import { playRival } from '../cost/rivals/play.js';
import { Shop } from '../cost/shop.js';
import type { StubRequest } from './stub-aws.js';

/** A bundle to be measured, with real events for it. */
export interface Subject {
  readonly name: string;
  readonly bundle: string;
  /** File with its events, as JSON. */
  readonly events: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Records of a batch of the relays. */
export const RECORDS = 100;

/**
 * Returns Orderly's function and the rival's that does the same, each as it is deployed, with events that were recorded in the simulator.
 * @param folder for their files
 */
export async function findSubjects(
  what: 'place-order' | 'relay',
  folder: string,
): Promise<readonly [Subject, Subject]> {
  const shop = await Shop.open('bench', ['rita']);
  const own = what === 'relay' ? 'Orders/Outbox/Relay' : 'Orders/PlaceOrder';
  const ownEvents = await record(shop.cloud, own, () => shop.order('rita'));
  const assembly = new Assembly(stripeAssembly());
  const { Code } = shop.cloud.fn(own).resource.properties;
  const rival = what === 'relay' ? 'Orders/Relay' : 'Orders/Place';
  const { cloud, order } = await playRival(folder, 'saga');
  const rivalEvents = await record(cloud, rival, order);
  const subject = (name: string, bundle: string, from: Cloud, fn: string, events: readonly unknown[]): Subject => {
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(what === 'relay' ? [batchOf(events)] : events));
    return { name, bundle, events: file, variables: from.fn(fn).variables };
  };
  // Beside the assembly, Node would take it for a module of this package.
  const bundle = join(folder, 'orderly.cjs');
  copyFileSync(join(assembly.assetFolder(Code), 'index.js'), bundle);
  return [
    subject('Orderly', bundle, shop.cloud, own, ownEvents),
    subject(
      'Powertools',
      join(folder, 'code', what === 'relay' ? 'relay' : 'place', 'index.js'),
      cloud,
      rival,
      rivalEvents,
    ),
  ];
}

/** Returns the events with which a function is invoked during some work. */
async function record(cloud: Cloud, label: string, work: () => Promise<unknown>): Promise<readonly unknown[]> {
  const fn = cloud.fn(label);
  const events: unknown[] = [];
  const invoke = fn.invoke.bind(fn);
  fn.invoke = (event, ...rest) => {
    events.push(structuredClone(event));
    invoke(event, ...rest);
  };
  await work();
  if (events.length === 0) throw new Error(`${label} was not invoked, so there is nothing to measure`);
  return events;
}

/** Returns a batch of many records: those of an order, again and again. */
function batchOf(events: readonly unknown[]): object {
  const records = events.flatMap((event) => (event as { readonly Records: readonly unknown[] }).Records);
  return { Records: Array.from({ length: RECORDS }, (_, at) => records[at % records.length]) };
}

/**
 * Returns a function that sends the same requests by the AWS SDK, and does nothing else: the floor below every function that is
 * made with it.
 * @param of whose requests they are
 * @param requests that it sent for one event
 * @param folder for its files
 */
export function sdkAlone(of: Subject, requests: readonly StubRequest[], folder: string): Subject {
  const [bundle, file] = [join(folder, 'sdk-alone.cjs'), join(folder, 'requests.json')];
  writeFileSync(file, JSON.stringify(requests));
  const entry = fileURLToPath(new URL('sdk-alone.lambda.ts', import.meta.url));
  buildSync({ ...BUNDLING, entryPoints: [entry], outfile: bundle, logLevel: 'warning' });
  return { name: 'the SDK alone', bundle, events: of.events, variables: { BENCH_REQUESTS: file } };
}
