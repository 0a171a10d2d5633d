import { NotModelled } from '../../wire/operation.js';

/** `{ $.name = "text" }`: the selector, and the text in quotes or as a word without a wildcard. */
const EQUALITY = /^\{\s*\$((?:\.\w+)+)\s*=\s*(?:"([^"*\\]*)"|([\w-]+))\s*\}$/;

/** `{ $.name = * }`: lines with the member, whatever its value is. The CDK writes the star in quotes. */
const EXISTENCE = /^\{\s*\$((?:\.\w+)+)\s*=\s*(?:\*|"\*")\s*\}$/;
/** `{ $.name >= 1.5 }`: a member that is a number, compared with one. */
const COMPARISON = /^\{\s*\$((?:\.\w+)+)\s*(>=|<=|>|<)\s*(-?\d+(?:\.\d+)?)\s*\}$/;

const COMPARE: Readonly<Record<string, (value: number, wanted: number) => boolean>> = {
  '>=': (value, wanted) => value >= wanted,
  '<=': (value, wanted) => value <= wanted,
  '>': (value, wanted) => value > wanted,
  '<': (value, wanted) => value < wanted,
};

/**
 * Reads a filter pattern of plain terms and quoted phrases: all of them must occur, none with `-` before it, and one of
 * those with `?` before them. Of the patterns of JSON it reads those that compare one member with one text or number, or ask whether it is there. Amazon CloudWatch
 * Logs User Guide, "Filter pattern syntax". AWS doesn't document whether a term may be a part of a word; here it may.
 * @throws {NotModelled} for other patterns of JSON, and for those of columns and of regular expressions
 */
export function parseFilterPattern(pattern: string): (text: string) => boolean {
  const trimmed = pattern.trim();
  const ofMember = parseMemberPattern(trimmed);
  if (ofMember) return ofMember;
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

/** Reads a pattern about one member of a line of JSON. @returns `undefined` for any other pattern */
function parseMemberPattern(pattern: string): ((text: string) => boolean) | undefined {
  const [, path, quoted, word] = EQUALITY.exec(pattern) ?? [];
  if (path !== undefined) return (text) => readMember(text, path.slice(1)) === (quoted ?? word ?? '');
  const [, there] = EXISTENCE.exec(pattern) ?? [];
  if (there !== undefined) return (text) => readMember(text, there.slice(1)) !== undefined;
  const [, compared = '', operator = '', bound] = COMPARISON.exec(pattern) ?? [];
  const compare = COMPARE[operator];
  return (
    compare &&
    ((text) => {
      const value = readMember(text, compared.slice(1));
      return typeof value === 'number' && compare(value, Number(bound));
    })
  );
}

/**
 * Returns a member of a line. A line that isn't JSON as a whole has no members.
 * @param path names from the outside to the inside, with dots between them
 */
export function readMember(text: string, path: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    let value: unknown = JSON.parse(text);
    for (const name of path.split('.')) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
    return value;
  } catch {
    return undefined;
  }
}
