import { OperatorError } from '../cli/errors.js';
import type { Selection } from './selection.js';

/** Request of an operator. */
export interface ReplayRequest {
  readonly consumer: string;
  /** Events that are replayed. A span without an end ends now. */
  readonly selection: Exclude<Selection, { kind: 'span' }> | { kind: 'span'; from: string; to: string | undefined };
  /** Messages that are sent in a second. */
  readonly rate: number;
  /** Whether the operator knows that an earlier generation of the consumer may have processed the events. */
  readonly again: boolean;
  readonly dryRun: boolean;
}

/** A request whose span has an end. Its command can be repeated. */
export interface ResolvedRequest extends ReplayRequest {
  readonly selection: Selection;
}

/** Gives a span its end. @throws {OperatorError} `refused` for an empty span */
export function resolveRequest(request: ReplayRequest, now: string): ResolvedRequest {
  const { selection } = request;
  if (selection.kind !== 'span') return { ...request, selection };
  const { from, to = now } = selection;
  if (from < to) return { ...request, selection: { kind: 'span', from, to } };
  throw new OperatorError('refused', `The span ends (${to}) before it begins (${from}).`);
}

/** Words of the command that repeats a request. */
export const repeatWords = ({ consumer, selection, rate, again }: ResolvedRequest): readonly string[] => [
  'replay',
  '--consumer',
  consumer,
  ...selectionWords(selection),
  ...(rate === DEFAULT_RATE ? [] : ['--rate', String(rate)]),
  ...(again ? ['--again'] : []),
];

/** Messages in a second, unless the operator says otherwise. */
export const DEFAULT_RATE = 10;

function selectionWords(selection: Selection): readonly string[] {
  switch (selection.kind) {
    case 'span':
      return ['--from', selection.from, '--to', selection.to];
    case 'aggregate':
      return ['--aggregate', selection.subject];
    case 'event':
      return ['--event', selection.id];
  }
}

/** Returns what is replayed, as the options name it. */
export const describeSelection = ({ selection }: ResolvedRequest): string => selectionWords(selection).join(' ');
