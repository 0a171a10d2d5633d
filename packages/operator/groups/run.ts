import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import { newId } from '@orderly/kit/internal/aws/ids.js';
import type { Run } from '../audit-log/audit-log.js';
import type { CommandContext } from '../cli/context.js';
import { Exit } from '../cli/errors.js';
import type { Interruption } from '../cli/interruptible.js';
import type { Outcome } from '../cli/outcome.js';
import { formatDuration, pluralize } from '../cli/text-format.js';
import { shortenId } from '../records/list-format.js';
import { describeCause, type SharedCause } from './cause.js';
import { findCause, findCauses } from './causes.js';
import { findGroup, type Member, type OperatorGroup } from './group.js';

/** A command over all members of a group, or of a cause. */
export interface GroupRequest {
  /** Beginning of its id. */
  readonly group: string;
  /** Whether it is the id of a cause across consumers. @default it is that of a consumer's group */
  readonly isCause?: boolean;
  /** Maximum number of messages per second. */
  readonly rate: number;
  readonly dryRun: boolean;
}

/** Number of members after which progress is reported. */
export const REPORT_INTERVAL = 25;

/** Context of such a command. */
export type GroupContext = Pick<
  CommandContext,
  'app' | 'documents' | 'services' | 'command' | 'say' | 'actor' | 'clock' | 'reportOn' | 'pageOn'
> &
  Interruption;

/** How a run over a group ended. */
export type Verdict = 'ended' | 'probe failed' | 'probe pending' | 'slow' | 'stopped';

/** Subject of a run: a group, or a cause. */
export interface RunTarget<One extends Member> extends Pick<OperatorGroup<One>, 'id' | 'trouble' | 'members' | 'more'> {
  readonly what: 'group' | 'cause';
  readonly cause: SharedCause;
}

/** Report of a run, as text and for scripts. */
interface GroupReport {
  /** Name of the JSON object. */
  readonly name: string;
  readonly result: Verdict | 'dry-run';
  readonly exitCode: Exit;
  /** First line, behind the id. */
  readonly words: string;
  readonly lines: readonly string[];
  readonly counts: object;
  /** Next commands, the most urgent first. @default the run changed nothing */
  readonly next?: readonly { readonly why: string; readonly commands: readonly string[] }[];
}

/**
 * One run of a command over a group, the oldest member first. Each member has its own entry in the audit log, and its own
 * record says what became of it: the run may be stopped at any moment and repeated.
 * @template Result what can become of a member
 * @template About what the report says of one
 */
export class GroupRun<One extends Member, Result extends string, About> {
  readonly target: RunTarget<One>;
  readonly shortId: string;
  /** Names the run in the entries of the audit log. */
  readonly entry: Run;
  readonly cause: string;
  private readonly results = new Map<One, { readonly result: Result; readonly about: About }>();
  private readonly begun: string;
  /** Maximum number of members per second. */
  private readonly rate: number;

  /** @throws {OperatorError} `not-found`, or `refused` if several groups, or causes, begin so */
  constructor(
    groups: readonly OperatorGroup<One>[],
    { group, isCause = false, rate }: GroupRequest,
    private readonly context: Pick<GroupContext, 'clock'>,
  ) {
    const causes = isCause ? findCauses(groups) : [];
    this.target = isCause
      ? { what: 'cause', ...findCause(causes, group) }
      : { what: 'group', ...findGroup(groups, group) };
    const ids = [...(isCause ? causes : groups)].map(({ id }) => id);
    this.shortId = shortenId(this.target.id, ids);
    this.begun = context.clock.now();
    this.rate = rate;
    this.entry = { [this.target.what]: this.target.id, run: newId(Date.parse(this.begun)) };
    this.cause = `cause: ${describeCause(this.target.cause)}`;
  }

  /** Words of an option that names the target: `--cause 871dfe3`. */
  get option(): readonly [string, string] {
    return [`--${this.target.what}`, this.shortId];
  }

  /** Says what became of a member; it may change, since what is pending ends. */
  set(member: One, result: Result, about: About): void {
    this.results.set(member, { result, about });
  }

  /** Names the consumers of the members, the first one first. */
  get consumers(): readonly string[] {
    return [...new Set(this.target.members.map(({ cause }) => cause.consumer))];
  }

  /** Whether a member has a result. */
  has(member: One): boolean {
    return this.results.has(member);
  }

  /** Number of members with one of these results. */
  count(...results: readonly Result[]): number {
    return [...this.results.values()].filter(({ result }) => results.includes(result)).length;
  }

  /** Returns the first member with a result. */
  first(wanted: Result): About | undefined {
    return [...this.results.values()].find(({ result }) => result === wanted)?.about;
  }

  /** Number of members with a result. */
  get reached(): number {
    return this.results.size;
  }

  /** Number of members that were not reached. */
  get left(): number {
    return this.target.members.length - this.reached;
  }

  /** Reports progress, with the time that is left. */
  tell({ say }: Pick<GroupContext, 'say'>, words: string): void {
    const { length } = this.target.members;
    const { left } = this;
    const remaining = left === 0 ? '' : `, about ${formatDuration(this.secondsLeft())} left`;
    say(`${this.shortId}: ${this.reached} of ${length}${words}${remaining}`, this.reached / length);
  }

  /** Seconds that the rest needs at the pace so far, and at least at the rate. */
  private secondsLeft(): number {
    const pace = secondsBetween(this.begun, this.context.clock.now()) / Math.max(1, this.reached);
    return this.left * Math.max(pace, 1 / this.rate);
  }

  outcome({ name, result, exitCode, words, lines, counts, next }: GroupReport): Outcome {
    const { id, cause, what } = this.target;
    const advice = next?.map(({ why, commands }) => `next${why}:\n  ${commands.join('\n  ')}`) ?? [];
    const commands = next && { next: next.flatMap((one) => one.commands) };
    return {
      exitCode,
      text: [
        `${this.shortId}: ${words}`,
        ...lines.map((line) => `  ${line}`),
        ...(advice.length > 0 ? ['', ...advice] : []),
      ].join('\n'),
      json: { [name]: { ...(what === 'cause' ? { id } : { group: id }), cause, result, ...counts, ...commands } },
    };
  }
}

/** Says at how many consumers a cause is; nothing of a group, which has one. */
export const atConsumers = ({
  target: { what },
  consumers,
}: {
  readonly target: Pick<RunTarget<Member>, 'what'>;
  readonly consumers: readonly string[];
}): string => (what === 'cause' ? ` at ${pluralize(consumers.length, 'consumer')}` : '');

/** Returns `lines` whose number isn't 0. */
export const counted = (...lines: readonly (readonly [count: number, line: string])[]): readonly string[] =>
  lines.flatMap(([count, line]) => (count > 0 ? [line] : []));

/** Returns the exit code of a run, by its counts: a failure is more urgent than what is pending, and a decision less. */
export function exitOf(
  verdict: Verdict,
  {
    failed,
    pending,
    undecided = 0,
  }: { readonly failed: number; readonly pending: number; readonly undecided?: number },
): Exit {
  if (verdict === 'probe failed') return Exit.PROBE_FAILED;
  if (failed > 0) return Exit.NEEDS_OPERATOR;
  if (pending > 0) return Exit.PENDING;
  return undecided > 0 ? Exit.NEEDS_OPERATOR : Exit.OK;
}
