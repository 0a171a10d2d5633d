/** Variables of the reports' functions. */
export const ReportsEnv = {
  /** Days of the reports, as JSON (`ReportDays`). */
  REPORT_DAYS: 'REPORT_DAYS',
} as const;

/** Which days are reported, and when they close. */
export interface ReportDays {
  /** Name of a time zone in the IANA database. */
  readonly timeZone: string;
  /** Seconds between the end of a day and its closing. */
  readonly closeAfterSeconds: number;
}
