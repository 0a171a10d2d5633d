/** The one place where run-time code reads the time. */
export const clock = {
  /** ISO 8601, UTC, with milliseconds. */
  now: (): string => new Date(Date.now()).toISOString(),
  /** Seconds since 1970, whole: the unit of DynamoDB's TTL. */
  epochSeconds: (): number => Math.floor(Date.now() / 1000),
};

/** Seconds from one ISO time to another; negative where `to` is earlier. */
export const secondsBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 1000;

/** @param limit milliseconds. @returns after a random part of `limit` ("full jitter"), so that rivals don't meet again. */
export const pauseUpTo = (limit: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * limit));
