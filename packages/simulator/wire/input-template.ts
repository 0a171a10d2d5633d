import type { Json } from '../assembly/intrinsics.js';

/**
 * Fills an input template of Amazon EventBridge, of rules and of pipes: a variable between quotation marks becomes a part of that text, any other one
 * a JSON value. One without a value becomes an empty text: AWS doesn't document it. Amazon EventBridge User Guide, "Amazon EventBridge input
 * transformation", "Amazon EventBridge Pipes input transformation".
 * @param pieces what stands in the template, and in every second place a function that returns the value of a variable
 */
export function fillTemplate<Around>(
  pieces: readonly (string | ((around: Around) => Json | undefined))[],
  around: Around,
): string {
  let written = '';
  let isInText = false;
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      for (const mark of piece.matchAll(/\\.|"/gs)) if (mark[0] === '"') isInText = !isInText;
      written += piece;
    } else {
      const value = piece(around) ?? '';
      written += isInText ? writeInText(value) : JSON.stringify(value);
    }
  }
  return written;
}

/** "Common issues with transforming input": the quotation marks of an object are removed where it stands in a text. */
const writeInText = (value: Json): string =>
  typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : JSON.stringify(value).replaceAll('"', '');
