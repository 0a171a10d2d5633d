import type { AccountAndRegion } from '../../assembly/identity.js';
import { type FunctionCall, Refused } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';
import type { Access } from '../iam/model.js';
import type { EventBridge } from './model.js';
import { putAccess } from './put-access.js';

/**
 * Amazon EventBridge API Reference, "PutEvents"; User Guide, "Calculating PutEvents event entry size". The limit of bytes was
 * 256 KB until 2026; it is documented for all entries of a request together.
 */
const MAX_ENTRIES = 10;
const MAX_BYTES = 1024 * 1024;
const BYTES_OF_A_TIME = 14;

/** One entry of a request. */
export interface Entry {
  readonly EventBusName?: string;
  readonly Source?: string;
  readonly DetailType?: string;
  readonly Detail?: string;
  /** Seconds since 1970. */
  readonly Time?: number;
  readonly Resources?: readonly string[];
}

/**
 * Returns the access that one entry needs. This model refuses the whole request if one entry isn't allowed; AWS also documents error
 * codes for single entries (`NotAuthorizedForSourceException`).
 */
export const requiredAccess = (
  { EventBusName = 'default', Source, DetailType }: Entry,
  home?: AccountAndRegion,
): Access => putAccess({ bus: EventBusName, source: Source, detailType: DetailType }, home);

/**
 * Puts the entries one by one: a refused entry doesn't affect the others. A request with too many or too large entries
 * is refused as a whole.
 * @param now milliseconds since 1970
 * @throws {Refused}
 */
export function putEvents(events: EventBridge, input: Input, now: number, call?: FunctionCall): object {
  const entries = (input.Entries ?? []) as readonly Entry[];
  if (entries.length === 0) throw wrongLength(entries, 'greater than or equal to 1');
  if (entries.length > MAX_ENTRIES) throw wrongLength(entries, `less than or equal to ${MAX_ENTRIES}`);
  if (entries.reduce((sum, entry) => sum + entryBytes(entry), 0) > MAX_BYTES)
    throw invalid('Total size of the entries in the request is over the limit.');
  const results = entries.map((entry, at) => {
    const refused = call?.refusedEntries?.get(at) ?? (now < events.refusesUntil ? 'ThrottlingException' : undefined);
    return refused === undefined ? putEntry(events, entry, call?.by) : failure(refused);
  });
  return { FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length, Entries: results };
}

function putEntry(
  events: EventBridge,
  { EventBusName = 'default', Source, DetailType, Detail, Time, Resources }: Entry,
  by?: string,
): object {
  if (!Source) return missing('Source');
  if (!DetailType) return missing('DetailType');
  if (Detail === undefined) return missing('Detail');
  // "Event bus concepts": the prefix is AWS's own.
  if (Source.startsWith('aws.')) return failure('NotAuthorizedForSourceException', 'Not authorized for the source.');
  const bus = events.destinationOf(EventBusName);
  try {
    const detail: unknown = JSON.parse(Detail);
    if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) return malformed();
    const time = Time === undefined ? {} : { time: Time * 1000 };
    const event = { source: Source, detailType: DetailType, detail, resources: Resources ?? [], ...time };
    // AWS accepts an event for a bus that doesn't exist, and drops it.
    return { EventId: bus === undefined ? events.dropEvent() : events.put(bus, event, by) };
  } catch (error) {
    if (error instanceof SyntaxError) return malformed();
    throw error;
  }
}

const failure = (ErrorCode: string, ErrorMessage = 'simulated'): object => ({ ErrorCode, ErrorMessage });

const missing = (name: string): object =>
  failure('InvalidArgument', `Parameter ${name} is not valid. Reason: ${name} is a required argument.`);

const malformed = (): object => failure('MalformedDetail', 'Detail is malformed.');

const invalid = (message: string): Refused => new Refused('ValidationException', message);

/** @param right what would be right, as AWS words it */
const wrongLength = (entries: readonly Entry[], right: string): Refused =>
  invalid(
    `1 validation error detected: Value '[${entries.map(describeEntry).join(', ')}]' at 'entries' failed to satisfy constraint: Member must have length ${right}`,
  );

/** Writes an entry as AWS's own class does. */
const describeEntry = ({ Time, Source, Resources, DetailType, Detail, EventBusName }: Entry): string =>
  `PutEventsRequestEntry(time=${Time ?? null}, source=${Source ?? null}, resources=${Resources ? `[${Resources.join(', ')}]` : null}, detailType=${DetailType ?? null}, detail=${Detail ?? null}, eventBusName=${EventBusName ?? null}, traceHeader=null, kmsKeyIdentifier=null, internalMetadata=null)`;

const entryBytes = ({ Source = '', DetailType = '', Detail = '', Time, Resources = [] }: Entry): number =>
  [Source, DetailType, Detail, ...Resources].reduce((sum, text) => sum + Buffer.byteLength(text), 0) +
  (Time === undefined ? 0 : BYTES_OF_A_TIME);
