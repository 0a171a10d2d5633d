import { NotModelled } from '../../wire/operation.js';

/** `{ $.name = "text" }`: the selector, and the text in quotes or as a word without a wildcard. */
const EQUALITY = /^\{\s*\$((?:\.\w+)+)\s*=\s*(?:"([^"*\\]*)"|([\w-]+))\s*\}$/;

/**
 * Reads a filter pattern of plain terms and quoted phrases: all of them must occur, none with `-` before it, and one of
 * those with `?` before them. Of the patterns of JSON it reads those that compare one member with one text. Amazon CloudWatch
 * Logs User Guide, "Filter pattern syntax". AWS doesn't document whether a term may be a part of a word; here it may.
 * @throws {NotModelled} for other patterns of JSON, and for those of columns and of regular expressions
 */
export function parseFilterPattern(pattern: string): (text: string) => boolean {
  const trimmed = pattern.trim();
  const equality = EQUALITY.exec(trimmed);
  if (equality) {
    const [, path = '', quoted, word] = equality;
    return hasMember(path.slice(1).split('.'), quoted ?? word ?? '');
  }
  if (/^[{[%]/.test(trimmed)) throw new NotModelled(`the filter pattern ${trimmed}`);
  const terms = [...trimmed.matchAll(/([?-]?)(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))/g)].map(
    ([, sign = '', quoted, plain]) => ({
      sign,
      text: quoted === undefined ? (plain ?? '') : quoted.replace(/\\(.)/g, '$1'),
    }),
  );
  const signed = (sign: string): readonly string[] =>
    terms.filter((term) => term.sign === sign).map(({ text }) => text);
  const [wanted, optional, excluded] = [signed(''), signed('?'), signed('-')];
  return (text) =>
    wanted.every((term) => text.includes(term)) &&
    !excluded.some((term) => text.includes(term)) &&
    (wanted.length > 0 || optional.length === 0 || optional.some((term) => text.includes(term)));
}

/** A line that isn't JSON as a whole has no members. */
const hasMember =
  (path: readonly string[], wanted: string) =>
  (text: string): boolean => {
    if (!text.startsWith('{')) return false;
    try {
      let value: unknown = JSON.parse(text);
      for (const name of path) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
      return value === wanted;
    } catch {
      return false;
    }
  };
