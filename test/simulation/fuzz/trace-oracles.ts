import { gunzipSync } from 'node:zlib';
import type { LogLine } from '../../../packages/simulator/aws/lambda.js';
import type { AttributeValue, Item } from '../../../packages/simulator/dynamodb/wire.js';
import type { FuzzRequest } from './request.js';
import { KEY } from './samples.js';

/** Shortest text of a body that would be recognised in a log: a shorter one may stand there by chance. */
const SHORTEST = 8;
/** Ids and SKUs are logged; other texts are people's. */
const ID = /^[A-Za-z0-9._@:|-]{1,128}$/;

/** What no log line of a request may be or hold. @param token that was sent, if any */
export function faultsOfLog(
  lines: readonly LogLine[],
  { body = '' }: FuzzRequest,
  token: string | undefined,
): readonly string[] {
  const secrets = [KEY, ...(token ? [token.split('.').at(-1) ?? token] : []), ...textsOf(body)].filter(
    (secret) => secret.length >= SHORTEST,
  );
  return lines.flatMap(({ fn, level, text }) => [
    ...(level === 'error' || /"level":"(?:ERROR|CRITICAL)"/.test(text) ? [`${fn} logs an error: ${text}`] : []),
    ...(isJson(text) ? [] : [`${fn} logs a line that is no JSON: ${text}`]),
    ...secrets
      .filter((secret) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)))
      .map((secret) => `${fn} logs what was sent: ${JSON.stringify(secret)}`),
  ]);
}

/** Texts of a body that aren't ids; of one that isn't JSON its beginning. */
function textsOf(body: string): readonly string[] {
  try {
    const texts: string[] = [];
    JSON.parse(body, (_, value: unknown) => {
      if (typeof value === 'string' && !ID.test(value)) texts.push(value);
      return value;
    });
    return texts;
  } catch {
    return [body.slice(0, 40)];
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What no stored item may be or hold. */
export function faultsOfItem(table: string, item: Item): readonly string[] {
  const faults: string[] = [];
  const where = `${table} ${JSON.stringify(item.pk)} ${JSON.stringify(item.sk ?? '')}`;
  const look = (value: unknown): void => {
    if (typeof value === 'string') {
      if (/[\p{Cc}\p{Cs}]/u.test(value)) faults.push(`${where} holds control characters: ${JSON.stringify(value)}`);
      if (value.includes(KEY)) faults.push(`${where} holds an Idempotency-Key`);
      if (/^[[{]/.test(value) && isJson(value)) look(JSON.parse(value));
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        if (name === '__proto__' || name === 'constructor') faults.push(`${where} has a member ${name}`);
        if (!Array.isArray(value)) look(name);
        look(member);
      }
    }
  };
  if (item.status && 'S' in item.status && item.status.S === 'FAILED' && 'failures' in item)
    faults.push(`a failure record: ${JSON.stringify(item.failures)}`);
  for (const [name, value] of Object.entries(item)) {
    look(name);
    look(contentOf(value));
  }
  return faults;
}

/** An attribute as plain JSON; what is sealed is nothing. */
function contentOf(value: AttributeValue): unknown {
  if ('M' in value) return Object.fromEntries(Object.entries(value.M).map(([name, one]) => [name, contentOf(one)]));
  if ('L' in value) return value.L.map(contentOf);
  if (!('B' in value)) return Object.values(value)[0];
  const bytes = Buffer.from(value.B, 'base64');
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes).toString('utf8') : null;
}
