import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { alignColumns, type CommandFormatter, formatDuration, pluralize } from '../cli/text-format.js';
import { RECORDED_STATES } from '../records/message-locations.js';
import type { Estimate, ReplayCounts } from './estimate.js';
import type { ReplayReport } from './replay-run.js';
import { describeSelection, type ResolvedRequest, repeatWords } from './request.js';
import type { ReplayTarget } from './target.js';

/** A replay, for its texts. */
export interface ReplayOverview {
  readonly target: ReplayTarget;
  readonly request: ResolvedRequest;
  readonly estimate: Estimate;
  readonly command: CommandFormatter;
}

const estimateSeconds = ({ request, estimate }: ReplayOverview): number => estimate.toSend / request.rate;

/** Returns the estimate in a few lines. */
export function renderEstimate(about: ReplayOverview): string {
  const { target, request, estimate } = about;
  const { consumer } = target;
  return [
    `${consumer.name}: ${pluralize(estimate.messages, 'message')} in ${pluralize(estimate.commits, 'commit')}, ${describeSelection(request)}`,
    alignColumns([['to send', String(estimate.toSend)], ...renderRecorded(estimate)], '  '),
    `it takes ${formatDuration(estimateSeconds(about))} at ${request.rate} in a second`,
    ORDER[consumer.inbox?.mode ?? 'none'],
  ].join('\n');
}

const renderRecorded = ({ recorded, unreadable }: ReplayCounts): readonly (readonly string[])[] => [
  ...RECORDED_STATES.filter((state) => recorded[state] > 0).map((state) => [
    `${state}, not sent`,
    String(recorded[state]),
  ]),
  ...(unreadable > 0 ? [["commits that can't be read", String(unreadable)]] : []),
];

/** Which order the consumer has, by the mode of its inbox. */
const ORDER = {
  sequential:
    'the inbox restores the order of each aggregate; an event waits there until all before it have come, from the first one on',
  single: 'messages are sent in about the order of time, and processed in any order',
  batch: 'an event of a window that has closed counts as late, in the next open window',
  none: 'messages are sent in about the order of time, and processed in any order',
} as const;

const toJson = (about: ReplayOverview) => {
  const { target, request, estimate } = about;
  const { commits, unreadable, messages, toSend, recorded } = estimate;
  const { name, generation } = target.consumer;
  return {
    consumer: name,
    generation,
    selection: request.selection,
    estimate: {
      commits,
      unreadable,
      messages,
      toSend,
      recorded,
      seconds: Math.ceil(estimateSeconds(about)),
    },
  };
};

/** Outcome of `--dry-run`. */
export const previewOutcome = (about: ReplayOverview): Outcome => ({
  exitCode: Exit.OK,
  text: [
    renderEstimate(about),
    '',
    about.estimate.toSend > 0
      ? `next: ${about.command(...repeatWords(about.request))}`
      : describeNothingToSend(about.estimate),
  ].join('\n'),
  json: { replay: { ...toJson(about), result: 'dry-run' } },
});

const describeNothingToSend = ({ messages }: ReplayCounts): string =>
  messages === 0 ? 'nothing to send: it receives no message of them' : 'nothing to send: every message has a record';

/** Outcome if every message has a record. */
export const nothingToSendOutcome = (about: ReplayOverview): Outcome =>
  outcome(about, { verdict: 'done', sent: 0, counts: about.estimate, reached: undefined });

/** Outcome of a replay. */
export const replayOutcome = (about: ReplayOverview, report: ReplayReport): Outcome => outcome(about, report);

function outcome(about: ReplayOverview, { verdict, sent, counts, reached }: ReplayReport): Outcome {
  const { request, estimate, command, target } = about;
  const { name } = target.consumer;
  const isDone = verdict === 'done';
  const left = isDone ? 0 : Math.max(0, estimate.toSend - sent);
  const { failed } = estimate.recorded;
  const tooOld = isDone ? counts.tooOld : 0;
  const { unreadable } = counts;
  const next = [
    ...(isDone ? [] : [['to continue', continueCommand(about, reached)]]),
    ...(isDone && sent > 0 ? [['did all of them arrive?', command(...repeatWords(request), '--dry-run')]] : []),
    ...(failed > 0 ? [['what has failed is not replayed', command('failures', 'list')]] : []),
    ...(unreadable > 0
      ? [["what is in commits that can't be read is not replayed", command('failures', 'list', '--consumer', 'relay')]]
      : []),
  ];
  return {
    exitCode: isDone ? (failed + tooOld + unreadable > 0 ? Exit.NEEDS_OPERATOR : Exit.OK) : Exit.PENDING,
    text: [
      `${name}: ${isDone && sent === 0 ? describeNothingToSend(counts) : describeVerdict(verdict, sent, left)}`,
      ...(tooOld > 0 ? [`  became too old meanwhile: ${tooOld}`] : []),
      ...(isDone ? [alignColumns(renderRecorded(counts), '  ')].filter((rows) => rows !== '') : []),
      ...(next.length > 0 ? ['', ...next.map(([why, words]) => `${why}:\n  ${words}`)] : []),
    ].join('\n'),
    json: {
      replay: { ...toJson(about), result: verdict, sent, left, tooOld, next: next.map(([, words]) => words) },
    },
  };
}

function describeVerdict(verdict: ReplayReport['verdict'], sent: number, left: number): string {
  switch (verdict) {
    case 'done':
      return `done: sent ${pluralize(sent, 'message')}`;
    case 'stopped':
      return `stopped by you: sent ${sent}, about ${left} are left`;
    case 'slow':
      return `stopped, since its queue stays full: sent ${sent}, about ${left} are left. It doesn't keep up, or it fails`;
  }
}

/**
 * Returns the command that continues a replay. A span begins with the hour that was not finished: the feed has an order of
 * hours only. What was sent of it has a record by then, or is recognised as a duplicate.
 */
export function continueCommand({ request, command }: ReplayOverview, reached: string | undefined): string {
  const { selection } = request;
  if (selection.kind !== 'span' || reached === undefined) return command(...repeatWords(request));
  return command(...repeatWords({ ...request, selection: { ...selection, from: reached } }));
}
