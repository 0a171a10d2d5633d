import { requireEnv, SettingMissing } from '@orderly/kit/aws';
import { dailyWindows, type Windows } from '@orderly/kit/inbox';
import { type ReportDays, ReportsEnv } from './environment.js';

/** Days of a time zone, as windows and as reports name them. */
export interface Days {
  readonly timeZone: string;
  readonly windows: Windows;
  /** Returns the first instant of a day, ISO 8601, UTC. */
  startOf(date: string): string;
  /** Returns the time at which a day closes, ISO 8601, UTC. */
  closesAt(date: string): string;
}

/** @throws {RangeError} for an unknown time zone */
export function createDays({ timeZone, closeAfterSeconds }: ReportDays): Days {
  const windows = dailyWindows(timeZone);
  const dayBefore = (date: string) => new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10);
  return {
    timeZone,
    windows,
    // The day before may be one that the zone has left out. Its end is the same instant all the same.
    startOf: (date) => windows.endOf(dayBefore(date)),
    closesAt: (date) => new Date(Date.parse(windows.endOf(date)) + closeAfterSeconds * 1000).toISOString(),
  };
}

/**
 * Reads the days of this function's environment.
 * @throws {SettingMissing} at start, if the construct did not set them
 */
export function daysFromEnvironment(): Days {
  const { timeZone, closeAfterSeconds } = JSON.parse(requireEnv(ReportsEnv.REPORT_DAYS)) as ReportDays;
  if (closeAfterSeconds >= 0) return createDays({ timeZone, closeAfterSeconds });
  throw new SettingMissing(`environment variable ${ReportsEnv.REPORT_DAYS}: expected closeAfterSeconds`);
}
