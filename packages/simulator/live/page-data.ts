import type {
  DataItem,
  DataLine,
  DataMessage,
  DataObject,
  DataObjectContent,
  DataPage,
  DataResource,
  DataResources,
} from '@orderly/console';
import type { Cloud } from '../cloud/cloud.js';
import { bodyBytes } from '../runtime/http.js';
import { plainJson } from './page-json.js';
import { PageRefused } from './page-refused.js';

/** Entries of a page. */
const PAGE = 50;
/** Characters of an object's text that are shown. */
const SHOWN = 65_536;

/** A question about a resource. */
export interface DataQuestion {
  /** Text that a key has, or a message or a line. */
  readonly text: string;
  /** `next` of the page before. */
  readonly after: string | undefined;
}

/** Lists the tables, queues, buckets and logs of an account. */
export function listResources(cloud: Cloud): DataResources {
  const { assembly } = cloud.deployment;
  const lines = new Map<string, number>();
  for (const { fn } of cloud.log) lines.set(fn, (lines.get(fn) ?? 0) + 1);
  const tables = ['AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable'].flatMap((type) => assembly.findByType(type));
  const known = new Set(cloud.dynamodb.tables());
  return {
    tables: sorted(
      tables
        .filter(({ ref }) => known.has(ref))
        .map(({ ref, label, stack }) => ({
          name: ref,
          label,
          service: stack,
          count: cloud.dynamodb.describe(ref).count,
        })),
    ),
    queues: sorted(
      [...cloud.queues.values()].map(({ name, label, resource, counts: { visible, delayed, inFlight } }) => ({
        name,
        label,
        service: resource.stack,
        count: visible + delayed + inFlight,
        inFlight,
      })),
    ),
    buckets: sorted(
      cloud.buckets.listNames().flatMap((name) => {
        const resource = cloud.buckets.findBucket(name);
        if (!resource) return [];
        return [{ name, label: resource.label, service: resource.stack, count: cloud.buckets.list(name).length }];
      }),
    ),
    logs: sorted(
      [...cloud.functions.values()].map(({ label, resource }) => ({
        name: resource.ref,
        label,
        service: resource.stack,
        count: lines.get(label) ?? 0,
      })),
    ),
  };
}

const sorted = (resources: readonly DataResource[]): readonly DataResource[] =>
  resources.toSorted((one, other) => one.label.localeCompare(other.label));

/** @throws {PageRefused} if there is no such table, or `after` is of another one */
export function listItems({ dynamodb }: Cloud, table: string, { text, after }: DataQuestion): DataPage<DataItem> {
  if (!dynamodb.tables().includes(table)) throw notThere('table', table);
  const { keys } = dynamodb.describe(table);
  const textsOf = (item: Readonly<Record<string, object | undefined>>): readonly string[] =>
    keys.map((name) => String(Object.values(item[name] ?? {})[0]));
  const items = dynamodb.browse(table, {
    limit: PAGE + 1,
    after: after === undefined ? undefined : readKey(after, keys),
    ...(text !== '' && { isWanted: (item) => textsOf(item).some((key) => key.includes(text)) }),
  });
  const last = items[PAGE - 1];
  return {
    entries: items.slice(0, PAGE).map((item) => ({ key: textsOf(item), item: plainJson(item) })),
    ...(items.length > PAGE &&
      last && { next: JSON.stringify(Object.fromEntries(keys.map((name) => [name, last[name]]))) }),
  };
}

/** @throws {PageRefused} */
function readKey(text: string, keys: readonly string[]) {
  try {
    const key = JSON.parse(text) as NonNullable<Parameters<Cloud['dynamodb']['browse']>[1]['after']>;
    const isKey = keys.every((name) => ['S', 'N', 'B'].includes(Object.keys(key[name] ?? {})[0] ?? ''));
    if (isKey) return key;
  } catch {
    // It is no JSON.
  }
  throw new PageRefused(400, `after: '${text}' is no key of this table: \`next\` of the page before was expected`);
}

/** @throws {PageRefused} if there is no such queue */
export function listMessages({ queues, world }: Cloud, name: string, asked: DataQuestion): DataPage<DataMessage> {
  const queue = [...queues.values()].find((one) => one.name === name);
  if (!queue) throw notThere('queue', name);
  const { maxReceives } = queue.redrive ?? {};
  const wanted = queue.listMessages().filter(({ id, body }) => `${id}\n${body}`.includes(asked.text));
  // A message may have gone since the page before: then the page begins at those that were sent later.
  const [sent = '', id = ''] = /^(\d+)~(.+)$/.exec(asked.after ?? '')?.slice(1) ?? [];
  const place = wanted.findIndex((message) => message.id === id) + 1;
  const rest = place > 0 || id === '' ? wanted.slice(place) : wanted.filter(({ sentAt }) => sentAt > Number(sent));
  const page = rest.slice(0, PAGE);
  const last = page.at(-1);
  return {
    entries: page.map(({ attributes, body, group, receiveCount, sentAt, visibleAt, ...message }) => ({
      id: message.id,
      state: visibleAt <= world.now ? 'visible' : receiveCount > 0 ? 'in flight' : 'delayed',
      receiveCount,
      ...(maxReceives !== undefined && Number.isFinite(maxReceives) && { maxReceives }),
      sentAt: iso(sentAt),
      ...(visibleAt > world.now && { visibleAt: iso(visibleAt) }),
      ...(group !== undefined && { group }),
      ...(attributes && {
        attributes: Object.fromEntries(
          Object.entries(attributes).map(([key, one]) => [key, one.StringValue ?? one.BinaryValue ?? '']),
        ),
      }),
      body: parsed(body),
    })),
    ...(last && rest.length > PAGE && { next: `${last.sentAt}~${last.id}` }),
  };
}

/** @throws {PageRefused} if there is no such bucket */
export function listObjects({ buckets }: Cloud, name: string, { text, after }: DataQuestion): DataPage<DataObject> {
  if (!buckets.findBucket(name)) throw notThere('bucket', name);
  const wanted = buckets
    .list(name)
    .filter(
      ([key]) =>
        key.includes(text) && (after === undefined || Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0),
    );
  const page = wanted.slice(0, PAGE);
  const last = page.at(-1);
  return {
    entries: page.map(([key, version]) => objectOf(key, version)),
    ...(last && wanted.length > PAGE && { next: last[0] }),
  };
}

/** @throws {PageRefused} if there is no such object */
export function readObject({ buckets }: Cloud, bucket: string, key: string): DataObjectContent {
  const version = buckets.findBucket(bucket) && buckets.find(bucket, key);
  if (!version) throw notThere('object', `${bucket}/${key}`);
  const isText = version.bytes === undefined;
  return {
    ...objectOf(key, version),
    ...(isText && { text: version.body.slice(0, SHOWN) }),
    ...(isText && version.body.length > SHOWN && { isCutOff: true }),
  };
}

type Version = NonNullable<ReturnType<Cloud['buckets']['find']>>;

const objectOf = (key: string, version: Version): DataObject => ({
  key,
  bytes: bodyBytes(version).length,
  at: iso(version.at),
  contentType: version.contentType,
});

/** Lists a function's log lines, the newest first. @throws {PageRefused} if there is no such function */
export function listLines({ functions, log }: Cloud, name: string, { text, after }: DataQuestion): DataPage<DataLine> {
  const fn = [...functions.values()].find(({ resource }) => resource.ref === name);
  if (!fn) throw notThere('function', name);
  // Lines have no names: a page continues at a time, after so many lines of this time.
  const [until = Number.POSITIVE_INFINITY, skipped = 0] =
    /^(\d+)~(\d+)$/
      .exec(after ?? '')
      ?.slice(1)
      .map(Number) ?? [];
  const wanted: { readonly at: number; readonly level: string; readonly text: string }[] = [];
  let same = 0;
  for (let place = log.length - 1; place >= 0 && wanted.length <= PAGE; place--) {
    const line = log[place];
    if (line?.fn !== fn.label || line.at > until || !line.text.includes(text)) continue;
    if (line.at === until && same++ < skipped) continue;
    wanted.push(line);
  }
  const page = wanted.slice(0, PAGE);
  const last = page.at(-1);
  const ofLast = page.filter(({ at }) => at === last?.at).length + (last?.at === until ? skipped : 0);
  return {
    entries: page.map(({ at, level, text: said }) => ({ at: iso(at), level, text: said })),
    ...(last && wanted.length > PAGE && { next: `${last.at}~${ofLast}` }),
  };
}

/** Times of a live account have parts of milliseconds. */
const iso = (at: number): string => new Date(at).toISOString();

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

const notThere = (kind: string, name: string): PageRefused => new PageRefused(404, `There is no ${kind} '${name}'.`);
