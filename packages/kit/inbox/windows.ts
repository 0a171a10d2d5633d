/**
 * Windows of time in which messages are collected: a partition of the time line. All functions are pure, and never change
 * for a deployed inbox.
 */
export interface Windows {
  /** Returns the id of the window that contains a time. Ids sort as text in the order of their windows. */
  idOf(time: string): string;
  /** Returns the end of a window (ISO 8601, UTC): the first instant that is not in it. */
  endOf(id: string): string;
  /** Returns the id of the window that follows. */
  next(id: string): string;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * Returns the calendar days of a time zone as windows: `2026-03-01`. A day has 23 or 25 hours when the zone's clocks
 * change.
 * @param timeZone name in the IANA database, for example `Europe/Berlin`
 * @throws {RangeError} for an unknown time zone
 */
export function dailyWindows(timeZone: string): Windows {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const formatDate = (instant: number): string => format.format(instant);
  const ends = new Map<string, number>();

  /** The first instant at which the zone's date is behind this one. */
  const endOf = (date: string): number => {
    const known = ends.get(date);
    if (known !== undefined) return known;
    // A zone is at most 14 hours before and 12 hours behind UTC.
    let [inside, behind] = [Date.parse(date) - 15 * HOUR, Date.parse(date) + DAY + 13 * HOUR];
    while (behind - inside > 1) {
      const middle = Math.floor((inside + behind) / 2);
      if (formatDate(middle) > date) behind = middle;
      else inside = middle;
    }
    ends.set(date, behind);
    return behind;
  };
  const dayBefore = (date: string): string => new Date(Date.parse(date) - DAY).toISOString().slice(0, 10);
  const next = (date: string): string => formatDate(endOf(date));

  return {
    idOf: (time) => {
      const instant = Date.parse(time);
      const date = formatDate(instant);
      // Where clocks go back over midnight, a date comes twice. Its window is one interval all the same.
      if (instant < endOf(dayBefore(date))) return dayBefore(date);
      return instant < endOf(date) ? date : next(date);
    },
    endOf: (date) => new Date(endOf(date)).toISOString(),
    next,
  };
}
