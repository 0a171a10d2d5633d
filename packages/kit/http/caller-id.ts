import * as z from 'zod/mini';

/**
 * Matches e-mail addresses (`ada@example.org`), but not the machine ids of some issuers (`k3x@clients`), which have no
 * dot after the @.
 */
export const EMAIL_SHAPE = /@.*\./;

/**
 * Schema of a caller's id. Ids are part of keys and URLs for ever, so they are visible ASCII without the separators of
 * either. E-mail addresses are refused, since they identify a person.
 */
export const CallerId = z.string().check(
  z.regex(/^[A-Za-z0-9._@:|-]{1,128}$/, 'expected an id of 1 to 128 characters'),
  z.refine((id) => !EMAIL_SHAPE.test(id), 'expected an id, not an e-mail address'),
);

/**
 * Tells whether a text is a dot segment. Every client resolves it in a path, however it is encoded (WHATWG URL, "URL path segment
 * strings"; RFC 3986, 5.2.4), so nothing may have it as an id.
 */
export const isDotSegment = (id: string): boolean => id === '.' || id === '..';

/**
 * Ids that no caller may have, because routes have them as fixed segments beside a caller's id: `/users/me` would be a customer's own
 * profile and that of the customer `me`. A test of an app holds its routes against them.
 */
export const RESERVED_IDS: readonly string[] = ['me', 'sessions'];
