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
