import type { Json } from '../assembly/intrinsics.js';

/** Returns the JSON in a text; a text that is none stays as it is. */
export function parseText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Returns the JSON in Base64 data; data that are none stay in Base64. */
export function parseData(data: string): Json {
  const text = Buffer.from(data, 'base64').toString();
  const parsed = parseText(text);
  return parsed === text ? data : parsed;
}
