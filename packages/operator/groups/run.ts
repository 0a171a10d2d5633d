import { newId } from '@orderly/kit/internal/aws/ids.js';
import type { Run } from '../audit-log/audit-log.js';
import type { CommandContext } from '../cli/context.js';
import { Exit } from '../cli/errors.js';
import type { Interruption } from '../cli/interruptible.js';
import type { Outcome } from '../cli/outcome.js';
import { shortenId } from '../records/list-format.js';
import { describeCause } from './cause.js';
import { findGroup, type Member, type OperatorGroup } from './group.js';

/** A command over all members of a group. */
export interface GroupRequest {
  /** Beginning of the group's id. */
  readonly group: string;
  /** Maximum number of messages per second. */
  readonly rate: number;
  readonly dryRun: boolean;
}

/** Number of members after which progress is reported. */
export const REPORT_INTERVAL = 25;

/** Context of such a command. */
export type GroupContext = Pick<
  CommandContext,
  'documents' | 'services' | 'command' | 'say' | 'actor' | 'clock' | 'reportOn' | 'pageOn'
> &
  Interruption;

/** How a run over a group ended. */
export type Verdict = 'ended' | 'probe failed' | 'probe pending' | 'slow' | 'stopped';

/** Report of a run, as text and for scripts. */
interface GroupReport {
  /** Name of the JSON object. */
  readonly name: string;
  readonly result: Verdict | 'dry-run';
  readonly exitCode: Exit;
  /** First line, behind the group's id. */
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
  readonly group: OperatorGroup<One>;
  readonly shortId: string;
  /** Names the run in the entries of the audit log. */
  readonly entry: Run;
  readonly cause: string;
  private readonly results = new Map<One, { readonly result: Result; readonly about: About }>();

  /** @throws {OperatorError} `not-found`, or `refused` if several groups begin so */
  constructor(groups: readonly OperatorGroup<One>[], { group }: GroupRequest, { clock }: Pick<GroupContext, 'clock'>) {
    this.group = findGroup(groups, group);
    const ids = groups.map(({ id }) => id);
    this.shortId = shortenId(this.group.id, ids);
    this.entry = { group: this.group.id, run: newId(Date.parse(clock.now())) };
    this.cause = `cause: ${describeCause(this.group.cause)}`;
  }

  /** Says what became of a member; it may change, since what is pending ends. */
  set(member: One, result: Result, about: About): void {
    this.results.set(member, { result, about });
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
    return this.group.members.length - this.reached;
  }

  /** Reports progress. */
  tell({ say }: Pick<GroupContext, 'say'>, words: string): void {
    const { length } = this.group.members;
    say(`${this.shortId}: ${this.reached} of ${length}${words}`, this.reached / length);
  }

  outcome({ name, result, exitCode, words, lines, counts, next }: GroupReport): Outcome {
    const { id, cause } = this.group;
    const advice = next?.map(({ why, commands }) => `next${why}:\n  ${commands.join('\n  ')}`) ?? [];
    const commands = next && { next: next.flatMap((one) => one.commands) };
    return {
      exitCode,
      text: [
        `${this.shortId}: ${words}`,
        ...lines.map((line) => `  ${line}`),
        ...(advice.length > 0 ? ['', ...advice] : []),
      ].join('\n'),
      json: { [name]: { group: id, cause, result, ...counts, ...commands } },
    };
  }
}

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
