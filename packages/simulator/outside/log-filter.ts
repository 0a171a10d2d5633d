import { NotModelled } from '../dynamodb/errors.js';

/**
 * Reads a filter pattern of plain terms and quoted phrases: all of them must occur, none with `-` before it, and one of
 * those with `?` before them. Amazon CloudWatch Logs User Guide, "Filter pattern syntax". AWS doesn't document whether a
 * term may be a part of a word; here it may.
 * @throws {NotModelled} for patterns of JSON, of columns and of regular expressions
 */
export function filterOf(pattern: string): (text: string) => boolean {
  const trimmed = pattern.trim();
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
