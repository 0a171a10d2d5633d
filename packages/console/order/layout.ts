import { formatDuration } from '../page/format.js';
import { type Axis, buildAxis, type Scale } from './axis.js';
import type { CommitMark, DeliveryMark, History, TimerMark } from './history.js';
import { type Attempted, lookOf, nameSubject, type Subject } from './marks.js';
import { type Packed, pack, type Span } from './pack.js';

/** A mark in the picture, with its place. */
export interface PlacedMark {
  readonly id: string;
  readonly subject: Subject;
  readonly look: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly at: number;
  /** Name for those who can't see it. */
  readonly name: string;
}

export interface PlacedRow {
  readonly label: string;
  readonly y: number;
  readonly height: number;
}

export interface PlacedLane {
  readonly service: string;
  readonly y: number;
  readonly height: number;
  /** Line on which the service's name stands. */
  readonly nameY: number;
  readonly rows: readonly PlacedRow[];
}

/** A message on its way: from its commit to an attempt. */
export interface PlacedLine {
  readonly id: string;
  readonly look: string;
  readonly from: { readonly x: number; readonly y: number };
  readonly to: { readonly x: number; readonly y: number };
}

/** The whole picture. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** Where marks begin: left of it are the names, unless the picture is narrow. */
  readonly gutter: number;
  readonly axis: Axis;
  /** Times for which somebody has forwarded the clock. */
  readonly forwards: readonly (Span & { readonly text: string })[];
  readonly lanes: readonly PlacedLane[];
  /** In the order of time, which is the order of the keyboard. */
  readonly marks: readonly PlacedMark[];
  readonly lines: readonly PlacedLine[];
}

export interface Size {
  readonly width: number;
  readonly scale: Scale;
  /** The environment's clock: what waits, waits until now. */
  readonly now: number;
}

/** Pixels. A mark is at least as large as a finger can hit with its room around (WCAG 2.2, 2.5.8: 24 by 24). */
const ROW = 24;
const MARK = 18;
const LABEL = 16;
const HEAD = 40;
const LANE_GAP = 8;
const GUTTER = 200;
const EDGE = 14;
/** Room behind the last moment, for its mark and for its time. */
const END = 56;
/** Width from which names have a gutter of their own; below they stand above their rows. */
const WIDE = 720;
/** Rows that the marks of one consumer take at most. */
const MOST_ROWS = 3;
/** Name of the row of a service's commits, which is not shown where it is the first one. */
export const COMMITS = 'commits';
/** Width of a character of a service's name and of a row's. */
const [NAME_CHARACTER, ROW_CHARACTER] = [8, 6.6];
/** Room that the text of a forwarded clock needs. */
const FORWARD_TEXT = 140;

/** Lays a history out. It is a pure function. */
export function layOut(history: History, size: Size): Layout {
  const { width, scale, now } = size;
  const isWide = width >= WIDE;
  const gutter = isWide ? GUTTER : 0;
  const axis = buildAxis(listMoments(history, now), { left: gutter + EDGE, right: width - END, scale });
  const lanes: PlacedLane[] = [];
  const marks: PlacedMark[] = [];
  let y = HEAD;
  for (const service of history.services) {
    const begin = y;
    const rows: PlacedRow[] = [];
    const all = layOutRows(history, service, axis, now);
    y += isWide ? 4 + (fitsBeside(service, all[0]?.label) ? 0 : LABEL) : LABEL;
    for (const { label, placed } of all) {
      const above = isWide || rows.length === 0 ? 0 : LABEL;
      const height = above + ROW * Math.max(1, ...placed.map(({ row }) => row + 1));
      rows.push({ label, y, height });
      for (const one of placed) marks.push(toMark(one, y + above + one.row * ROW + (ROW - MARK) / 2, axis.from));
      y += height;
    }
    y += 4;
    lanes.push({ service, y: begin, height: y - begin, nameY: begin + (isWide ? 20 : 13), rows });
    y += LANE_GAP;
  }
  const forwards = history.forwards
    .map(({ from, to }) => {
      const x = axis.xOf(from);
      return { x, width: axis.xOf(to) - x, text: `clock forwarded, ${formatDuration(to - from)}` };
    })
    // What is folded has its own text there.
    .filter((one) => one.width > FORWARD_TEXT);
  const inOrder = marks.toSorted((one, other) => one.at - other.at || one.y - other.y);
  return { width, height: y, gutter, axis, forwards, lanes, marks: inOrder, lines: drawLines(inOrder) };
}

function listMoments({ commits, deliveries, timers, forwards }: History, now: number): readonly number[] {
  const moments = [
    ...commits.map(({ at }) => at),
    ...deliveries.flatMap(({ attempts }) => attempts.flatMap(({ began, at }) => [began ?? at, at])),
    ...timers.map(({ due }) => due),
    ...forwards.flatMap(({ from, to }) => [from, to]),
    ...(deliveries.some(({ isWaiting }) => isWaiting) ? [now] : []),
  ];
  return moments.length === 0 ? [now] : moments;
}

interface Placeable extends Span {
  readonly at: number;
  readonly kind: string;
  readonly of: CommitMark | TimerMark | Attempted | DeliveryMark;
}

interface Row {
  readonly label: string;
  readonly placed: readonly Packed<Placeable>[];
}

/** Whether the name of a service's first row has room on the same line of the gutter. The commits of a service have no name. */
const fitsBeside = (service: string, label = COMMITS): boolean =>
  label === COMMITS || service.length * NAME_CHARACTER + label.length * ROW_CHARACTER + EDGE <= GUTTER;

/** Returns the rows of a service: its commits, its timeouts, and one for each consumer. */
function layOutRows(history: History, service: string, axis: Axis, now: number): readonly Row[] {
  const commits = history.commits
    .filter((one) => one.service === service)
    .map((of): Placeable => ({ kind: 'commit', of, at: of.at, x: axis.xOf(of.at), width: MARK }));
  const timers = history.timers
    .filter((one) => one.service === service)
    .map((of): Placeable => ({ kind: 'timer', of, at: of.due, x: axis.xOf(of.due), width: MARK }));
  const consumers = new Map<string, Placeable[]>();
  for (const delivery of history.deliveries.filter((one) => one.service === service)) {
    const own = consumers.get(delivery.consumer) ?? [];
    own.push(...placeAttempts(delivery, axis), ...placeWaiting(delivery, axis, now));
    consumers.set(delivery.consumer, own);
  }
  const row = (label: string, items: readonly Placeable[]): readonly Row[] =>
    items.length === 0 ? [] : [{ label, placed: pack(items, { rows: MOST_ROWS, kindOf }) }];
  return [
    ...row(COMMITS, commits),
    ...row('timeouts', timers),
    ...[...consumers].flatMap(([consumer, items]) => row(consumer, items)),
  ];
}

const kindOf = ({ kind, of }: Placeable): string => ('attempt' in of ? of.attempt.look : kind);

const placeAttempts = (delivery: DeliveryMark, axis: Axis): readonly Placeable[] =>
  delivery.attempts.map((attempt) => {
    const x = axis.xOf(attempt.began ?? attempt.at);
    const of = { delivery, attempt };
    return { kind: 'attempt', of, at: attempt.at, x, width: Math.max(MARK, axis.xOf(attempt.at) - x) };
  });

function placeWaiting(delivery: DeliveryMark, axis: Axis, now: number): readonly Placeable[] {
  if (!delivery.isWaiting) return [];
  const last = delivery.attempts.at(-1);
  const x = last ? axis.xOf(last.at) + MARK + 4 : axis.xOf(delivery.sentAt);
  return [
    { kind: 'waiting', of: delivery, at: last?.at ?? delivery.sentAt, x, width: Math.max(MARK, axis.xOf(now) - x) },
  ];
}

function toMark({ items, x, width }: Packed<Placeable>, y: number, from: number): PlacedMark {
  const subject = toSubject(items);
  const look = subject.kind === 'attempt' ? lookOf(subject.attempts) : subject.kind;
  const at = Math.min(...items.map((one) => one.at));
  return { id: idOf(subject), subject, look, x, y, width, at, name: nameSubject(subject, from) };
}

/** Items of one row are of one kind; only a consumer's row has attempts and messages that wait. */
function toSubject(items: readonly Placeable[]): Subject {
  const attempts = items.flatMap(({ of }) => ('attempt' in of ? [of] : []));
  if (attempts.length > 0) return { kind: 'attempt', attempts };
  const timers = items.flatMap(({ of }) => ('due' in of ? [of] : []));
  if (timers.length > 0) return { kind: 'timer', timers };
  const [waiting] = items.flatMap(({ of }) => ('consumer' in of ? [of] : []));
  if (waiting) return { kind: 'waiting', delivery: waiting };
  return { kind: 'commit', commits: items.flatMap(({ of }) => ('messages' in of ? [of] : [])) };
}

/** Id of a mark, which it keeps while the picture grows. */
function idOf(subject: Subject): string {
  switch (subject.kind) {
    case 'commit':
      return `commit ${subject.commits[0]?.id}`;
    case 'attempt':
      return `attempt ${subject.attempts[0]?.attempt.id}`;
    case 'timer':
      return `timer ${subject.timers[0]?.id}`;
    case 'waiting':
      return `waiting ${subject.delivery.id}`;
  }
}

/** Draws each message from its commit to each of its attempts. */
function drawLines(marks: readonly PlacedMark[]): readonly PlacedLine[] {
  const commitMarks = new Map(
    marks.flatMap((mark) =>
      mark.subject.kind === 'commit' ? mark.subject.commits.map(({ id }) => [id, mark] as const) : [],
    ),
  );
  const lines = new Map<string, PlacedLine>();
  for (const mark of marks) {
    for (const { delivery, look } of deliveriesOf(mark)) {
      const from = commitMarks.get(delivery.commit);
      if (!from) continue;
      const id = `${from.id} ${mark.id}`;
      const begin = { x: from.x + MARK / 2, y: from.y + MARK / 2 };
      if (!lines.has(id)) lines.set(id, { id, look, from: begin, to: { x: mark.x, y: mark.y + MARK / 2 } });
    }
  }
  return [...lines.values()];
}

function deliveriesOf({
  subject,
  look,
}: PlacedMark): readonly { readonly delivery: DeliveryMark; readonly look: string }[] {
  if (subject.kind === 'attempt') return subject.attempts.map(({ delivery }) => ({ delivery, look }));
  return subject.kind === 'waiting' ? [{ delivery: subject.delivery, look }] : [];
}

export { MARK as MARK_SIZE };
