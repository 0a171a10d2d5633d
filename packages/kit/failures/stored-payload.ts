import { deflateSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Item } from '../aws/items.js';
import { SafeError, safeText } from '../aws/safe-error.js';

/**
 * Error for a stored message whose compressed form this release does not know. A newer release has written it, so it may be read
 * later: the attempt is repeated.
 */
export class UnknownForm extends SafeError {
  override readonly name = 'UnknownForm';
}

/**
 * Texts of a message as a bus rule delivers it, for compression: the members of the bus event and of the envelope, in their order.
 * Each version is a part of what is stored: **never change one**, but add another.
 */
const DICTIONARIES: Readonly<Record<number, string>> = {
  1: [
    '{"version":"0","id":"","detail-type":"","source":"","account":"","time":"20","region":"","resources":[],"detail":',
    '{"specversion":"1.0","id":"","source":"","to":"","type":"","subject":"","time":"20","dataschema":"urn:","sequence":1,"epoch":0,',
    '"follows":"","correlationid":"","causationid":"","traceparent":"00-","actor":"service:","onbehalfof":"","messagegroup":"","data":{',
  ].join(''),
};

/** Version that is written. */
const CURRENT = 1;

/** Attribute with a compressed payload. Its first byte is the version of the form. */
export const COMPRESSED = 'payloadDeflate';

/**
 * Attributes of a record that its message contains too, and that no write changes without the payload. They are a part of the
 * dictionary, so they are stored once.
 */
const SHARED = ['messageId', 'group', 'topic', 'type', 'correlationId', 'subject'] as const;

const dictionaryFor = (version: number, record: Item): Buffer | undefined => {
  const words = DICTIONARIES[version];
  return words === undefined ? undefined : Buffer.from([words, ...SHARED.map((name) => record[name] ?? '')].join('"'));
};

/**
 * Compresses the payload of a record: a version, then zlib with a dictionary. Its checksums make a wrong dictionary an error.
 * @param record the other attributes of the item, as it is stored
 */
export function compressPayload(payload: string, record: Item): Uint8Array {
  const dictionary = dictionaryFor(CURRENT, record);
  return Buffer.concat([Buffer.of(CURRENT), deflateSync(payload, { level: 9, ...(dictionary && { dictionary }) })]);
}

/**
 * Returns the message that a record has: as text, compressed, or compressed by gzip because it was too long for an item.
 * @returns `undefined` if the record has none, or only the beginning of one
 * @throws {UnknownForm} if a newer release has compressed it
 */
export function readStoredPayload(record: Item): string | undefined {
  const { payload, payloadGzip, [COMPRESSED]: compressed } = record;
  if (typeof payload === 'string') return payload;
  if (payloadGzip instanceof Uint8Array) return gunzipSync(payloadGzip).toString('utf8');
  if (!(compressed instanceof Uint8Array)) return undefined;
  const [version = 0] = compressed;
  const dictionary = dictionaryFor(version, record);
  if (!dictionary) throw new UnknownForm(safeText`stored in form ${version}: expected a form up to ${CURRENT}`);
  return inflateSync(compressed.subarray(1), { dictionary }).toString('utf8');
}
