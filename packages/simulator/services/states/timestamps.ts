import type { Json } from '../../assembly/intrinsics.js';

/** Amazon States Language, "Timestamps": RFC 3339 with capital `T` and `Z`. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Returns the time of a timestamp, milliseconds since 1970; `undefined` if the value is none. */
export const readTimestamp = (value: Json | undefined): number | undefined =>
  typeof value === 'string' && TIMESTAMP.test(value) && !Number.isNaN(Date.parse(value))
    ? Date.parse(value)
    : undefined;
