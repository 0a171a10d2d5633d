import { pointerFault, validate } from '@orderly/kit/http';
import * as z from 'zod/mini';
import { COUNTRIES } from './countries.js';

/**
 * Standards that change, by the name of the member that follows them. Codes are added and withdrawn, so only new input is
 * checked by the lists; contracts check the form of a code (`CurrencyCode`, `CountryCode`, `EmailAddress`).
 */
const STANDARDS: Readonly<Record<string, { readonly schema: z.ZodMiniType; readonly expected: string }>> = {
  currency: { schema: z.currencyCode(), expected: 'expected a currency of ISO 4217 in upper case: EUR' },
  country: {
    schema: z.string().check(z.refine((code) => COUNTRIES.has(code))),
    expected: 'expected a country of ISO 3166-1 alpha-2 in upper case: DE',
  },
  email: { schema: z.email(), expected: 'expected an e-mail address' },
};

/**
 * Returns what refuses a request whose codes are on no list of today; `undefined` if all are.
 *
 * Call it only for a new request, behind the look at its record: the repeat of a request that succeeded gets its first
 * answer, whatever has been withdrawn since.
 * @param sent body of the request, or a part of it
 * @param before what is stored already, in the same form: a code that is there at the same place is kept
 * @throws {Problem} the result throws 400 `invalid-request`, with one fault for each code
 */
export function findCodeRefusal(sent: unknown, before?: unknown): (() => never) | undefined {
  const unknown = findUnknownCodes(sent, before, []);
  if (unknown.length === 0) return undefined;
  const never = z.unknown().check(
    z.superRefine((_, context) => {
      for (const { path, expected } of unknown)
        context.addIssue({ code: 'custom', path: [...path], message: expected });
    }),
  );
  return () => validate(never, sent, pointerFault) as never;
}

interface UnknownCode {
  readonly path: readonly (string | number)[];
  readonly expected: string;
}

function findUnknownCodes(sent: unknown, before: unknown, path: UnknownCode['path']): readonly UnknownCode[] {
  if (Array.isArray(sent)) return sent.flatMap((one, at) => findUnknownCodes(one, memberOf(before, at), [...path, at]));
  if (typeof sent !== 'object' || sent === null) return [];
  return Object.entries(sent).flatMap(([name, value]) => {
    const was = memberOf(before, name);
    const standard = Object.hasOwn(STANDARDS, name) ? STANDARDS[name] : undefined;
    if (!standard || typeof value !== 'string') return findUnknownCodes(value, was, [...path, name]);
    const isKnown = value === was || z.safeParse(standard.schema, value).success;
    return isKnown ? [] : [{ path: [...path, name], expected: standard.expected }];
  });
}

const memberOf = (value: unknown, name: string | number): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string | number, unknown>>)[name] : undefined;
