/** Clock of all run-time code. No other run-time code reads the time. */
export const clock = {
  /** Returns the current time as ISO 8601, in UTC, with milliseconds. */
  now: (): string => new Date(Date.now()).toISOString(),
  /** Returns the current time in whole seconds since 1970, the unit of DynamoDB's TTL. */
  epochSeconds: (): number => Math.floor(Date.now() / 1000),
};

/** Returns the seconds from one ISO time to another. The result is negative if `to` is earlier. */
export const secondsBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 1000;

/** Pauses for a time in milliseconds. */
export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Pauses for a random part of `limit` ("full jitter"), so that rivals don't collide again.
 * @param limit in milliseconds
 */
export const sleepWithJitter = (limit: number): Promise<void> => sleep(Math.random() * limit);
