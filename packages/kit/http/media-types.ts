import { Problem } from './errors.js';

interface Range {
  /** A media type, all of its subtypes (`text/*`), or all types. */
  readonly range: string;
  /** Preference of the client, 0 to 1. 0 excludes the range. */
  readonly quality: number;
}

/** Reads `Accept`: `text/csv, application/json;q=0.5`. Parameters other than `q` are ignored. */
const parseAccept = (accept: string): readonly Range[] =>
  accept.split(',').map((element) => {
    const [range = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length);
    // A malformed preference excludes nothing.
    return { range, quality: q !== undefined && /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(q) ? Number(q) : 1 };
  });

/** The most specific range that contains a type decides (RFC 9110, 12.5.1). */
function findQuality(type: string, ranges: readonly Range[]): number {
  for (const wanted of [type, `${type.split('/')[0]}/*`, '*/*']) {
    const found = ranges.find(({ range }) => range === wanted);
    if (found) return found.quality;
  }
  return 0;
}

/**
 * Chooses the media type of an answer by the request's `Accept` (RFC 9110, section 12.5.1).
 * @param accept value of the header. Without it, or if it occurs more than once, the first type is chosen.
 * @param offered media types in lower case, the preferred one first
 * @throws {Problem} 406 `not-acceptable` if the client accepts none of them
 * @example
 * negotiateMediaType(request.header('accept'), ['application/json', 'text/csv']);
 */
export function negotiateMediaType<Type extends string>(
  accept: string | undefined,
  offered: readonly [Type, ...Type[]],
): Type {
  if (accept === undefined || accept.trim() === '') return offered[0];
  const ranges = parseAccept(accept);
  const qualities = offered.map((type) => findQuality(type, ranges));
  const best = Math.max(...qualities);
  const chosen = offered[qualities.indexOf(best)];
  if (best > 0 && chosen !== undefined) return chosen;
  const errors = [{ header: 'Accept', detail: `expected ${offered.join(' or ')}` }];
  throw new Problem('not-acceptable', 'this route answers with none of the accepted media types', { errors });
}
