import { DUE_INDEX } from '../../packages/kit/aws/indexes.js';
import { asJson } from '../../tools/docs/layout.js';
import { functionEnvironment } from './function-environment.js';
import { inProcessDynamoDb } from './in-process-dynamodb.js';
import { storedItems } from './stored-items.js';
import { storedRecords } from './stored-records.js';

/** Formats as they were decided: items by the name of their format. */
export const APPROVED_FORMATS = new URL('../golden/stored-formats.json', import.meta.url);

/**
 * Produces one item of each format that the kit stores, at a fixed time.
 * @returns JSON. `<...>` stands for what is random (ids, bytes, sealed text, stacks) or very long.
 */
export async function storedFormats(): Promise<string> {
  const { now } = Date;
  const begin = Date.parse('2026-03-01T00:00:00.000Z');
  let seconds = 0;
  Date.now = () => begin + seconds * 1000;
  try {
    functionEnvironment();
    inProcessDynamoDb(
      { table: ['pk', 'sk'], records: ['pk'], people: ['pk'] },
      { records: { [DUE_INDEX]: ['duePk', 'executeAt'] } },
    );
    const pass = (more: number) => {
      seconds += more;
    };
    const items = { ...(await storedItems()), ...(await storedRecords(pass)) };
    const shapes = Object.entries(items).map(([name, item]) => [name, maskValues(item)] as const);
    return asJson(Object.fromEntries(shapes));
  } finally {
    Date.now = now;
  }
}

const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, '<uuid>'],
  [/(?<=1\.<uuid>\.)[A-Za-z0-9_-]{39,}/g, '<sealed>'],
  // The hash of a random id. Other hashes are pinned: a repeat is recognised by them.
  [/(?<=^session#)[0-9a-f]{64}$/g, '<sha256>'],
];

/** Length of a text above which it is no more than noise here. */
const LONG = 10_000;

/** Replaces random and long values by their shape, and sorts attributes by name. */
function maskValues(value: unknown): unknown {
  if (typeof value === 'string' && value.length > LONG) return `<${value.length} characters>`;
  if (typeof value === 'string') return SHAPES.reduce((text, [found, shape]) => text.replaceAll(found, shape), value);
  if (value instanceof Uint8Array) return '<bytes>';
  if (Array.isArray(value)) return value.map(maskValues);
  if (typeof value !== 'object' || value === null) return value;
  const sorted = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([name, one]) => [name, name === 'stack' && Array.isArray(one) ? ['<frame>'] : maskValues(one)]),
  );
}
