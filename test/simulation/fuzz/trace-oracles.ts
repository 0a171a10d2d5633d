import { gunzipSync } from 'node:zlib';
import type { AttributeValue, Item } from '../../../packages/simulator/services/dynamodb/wire.js';
import type { LogLine } from '../../../packages/simulator/services/lambda/model.js';
import type { FuzzRequest } from './request.js';
import { KEY } from './samples.js';

/** Minimum length of a body's text that is searched for in logs. A shorter text may occur by chance. */
const SHORTEST = 8;
/** Matches ids and SKUs, which may be logged. Other texts may be personal data. */
const ID = /^[A-Za-z0-9._@:|-]{1,128}$/;

/** Returns a line for each fault in the log lines of a request. @param token token of the request, if any */
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

/** Returns the texts of a body that are not ids, or the beginning of a body that is not JSON. */
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

/** Returns a line for each fault in a stored item. */
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

/** Returns an attribute as plain JSON, with `null` for sealed bytes. */
function contentOf(value: AttributeValue): unknown {
  if ('M' in value) return Object.fromEntries(Object.entries(value.M).map(([name, one]) => [name, contentOf(one)]));
  if ('L' in value) return value.L.map(contentOf);
  if (!('B' in value)) return Object.values(value)[0];
  const bytes = Buffer.from(value.B, 'base64');
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes).toString('utf8') : null;
}
