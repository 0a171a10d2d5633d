import { createDays } from '../../../lambdas/reports/days.js';
import { buildReport } from '../../../lambdas/reports/domain/report.js';
import { type CountedEvent, tallyEvents } from '../../../lambdas/reports/domain/tally.js';
import { settingsFor } from '../../../lib/settings.js';
import { readStoredPayload } from '../../../packages/kit/failures/stored-payload.js';
import { readEnvelope } from '../../../packages/kit/messages/envelope.js';
import type { Facts, Write } from '../../support/simulation/facts.js';
import type { Row } from '../../support/simulation/orderly.js';
import { type Check, violation } from './violation.js';

/** Invariants of the daily reports, whenever their events came, and however often a day was begun again. */
export const reports: Check = (facts) => {
  if (!facts.isAwake('reports')) return [];
  const days = new Days(facts);
  return [
    ...eachMessageIsInOneDay(days),
    ...numbersHaveNoGaps(days),
    ...daysCloseInTime(days),
    ...reportsAreFolds(days),
    ...reportsEndTheirDays(facts),
  ];
};

const INBOX = 'reports-daily@0#';
const { timeZone, closeAfter } = settingsFor('prod').reports;
const { windows, startOf, closesAt } = createDays({ timeZone, closeAfterSeconds: closeAfter.toSeconds() });

/** Writes of the inbox and the service about days, including items that have expired since. */
class Days {
  /** Messages that have a place: each version of their records in which the place is new. */
  readonly places = new Map<string, Row[]>();
  /** Newest records of days, by date. */
  readonly windows = new Map<string, Row>();
  /** Each version of a report, by date. */
  readonly reports = new Map<string, Row[]>();

  constructor({ writes }: Facts) {
    for (const change of writes.flatMap(({ changes }) => changes)) this.add(change);
  }

  private add({ before, after }: Write['changes'][number]): void {
    const pk = String(after?.pk);
    if (!after) return;
    if (pk === 'REPORTS#daily') push(this.reports, String(after.sk), after);
    if (!pk.startsWith(INBOX) || after.window === undefined) return;
    if (after.topic === 'window') this.windows.set(String(after.window), after);
    else if (before?.window !== after.window) push(this.places, pk, after);
  }

  /** Messages with a place in a day. */
  membersOf(date: string): readonly Row[] {
    return [...this.places.values()].flatMap((rows) => rows.filter(({ window }) => window === date).slice(0, 1));
  }
}

const push = (map: Map<string, Row[]>, key: string, row: Row) => map.set(key, [...(map.get(key) ?? []), row]);

/** A message has one place: in the day of its event, or in a later one that says so. */
const eachMessageIsInOneDay = ({ places }: Days): ReturnType<Check> =>
  [...places].flatMap(([pk, rows]) => {
    const [row = {}] = rows;
    const { window, lateFrom } = row;
    const own = windows.idOf(readEnvelope(readStoredPayload(row) ?? '').time);
    const isRight = window === own ? lateFrom === undefined : String(window) > own && lateFrom === own;
    const told = `${pk}: in ${rows.map((one) => one.window).join(', ')}, late from ${String(lateFrom)}, of ${own}`;
    return rows.length === 1 && isRight ? [] : [violation('an event is in one day, and counts as late', told, pk)];
  });

function numbersHaveNoGaps({ windows: found }: Days): ReturnType<Check> {
  const closed = [...found.values()].filter(({ number }) => number !== undefined);
  const told = closed.map(({ window, number }) => `${String(window)} is ${String(number)}`).toSorted();
  let expected = told[0]?.slice(0, '2026-01-05'.length) ?? '';
  for (const [at, one] of told.entries()) {
    if (one !== `${expected} is ${at + 1}`) {
      return [violation('days close in their order, with numbers without gaps', told.join('; '), expected)];
    }
    expected = windows.next(expected);
  }
  return [];
}

/** Milliseconds by which a day may close too early: a runner takes a window 5 s before it is due, and clocks differ. */
const EARLY = 15_000;

/** No day closes before the time of grace after its end, in which events are still on their way. */
const daysCloseInTime = ({ windows: found }: Days): ReturnType<Check> =>
  [...found].flatMap(([date, { closedAt }]) =>
    closedAt !== undefined && Date.parse(String(closedAt)) < Date.parse(closesAt(date)) - EARLY
      ? [violation('a day closes after its time of grace', `${date} at ${String(closedAt)}`, date)]
      : [],
  );

/** The report of a day is, byte for byte, the fold of all events in it. It is written once, when they are all processed. */
const reportsAreFolds = (days: Days): ReturnType<Check> =>
  [...days.windows].flatMap(([date, { status, number }]) => {
    const written = days.reports.get(date) ?? [];
    if (written.length !== (status === 'PROCESSED' ? 1 : 0)) {
      return [violation('a day that has ended has one report', `${date} ${String(status)}: ${written.length}`, date)];
    }
    const counted = days.membersOf(date).map((row) => {
      const { lateFrom } = row;
      const { type, data } = readEnvelope(readStoredPayload(row) ?? '');
      return {
        event: { type, data } as CountedEvent,
        ...(lateFrom === undefined ? {} : { lateFrom: String(lateFrom) }),
      };
    });
    const day = { number: Number(number), date, timeZone, from: startOf(date), to: windows.endOf(date) };
    const expected = JSON.stringify(buildReport(day, tallyEvents(counted)));
    return written.flatMap(({ report }) =>
      report === expected
        ? []
        : [violation("a report equals the fold of its day's events", `${String(report)}, not ${expected}`, date)],
    );
  });

/** G3: a report and the end of its day are one write. */
const reportsEndTheirDays = ({ writes }: Facts): ReturnType<Check> =>
  writes.flatMap(({ changes, fn }) =>
    changes.flatMap(({ after: report }) => {
      if (report?.pk !== 'REPORTS#daily') return [];
      const date = String(report.sk);
      const isItsEnd = (after: Row | undefined): boolean =>
        after?.topic === 'window' && after.window === date && after.status === 'PROCESSED';
      if (changes.some(({ after }) => isItsEnd(after))) return [];
      return [violation('a report and the end of its day are one write', `${date} by ${fn}`, date)];
    }),
  );
