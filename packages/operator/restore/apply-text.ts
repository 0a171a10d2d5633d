import type { CommandContext } from '../cli/context.js';
import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { alignColumns, pluralize } from '../cli/text-format.js';
import type { Service } from '../deployment/services.js';
import type { LostCommits } from './lost-commits.js';
import { listFollowUpSteps, renderLostCommits, runbookReference } from './plan-text.js';
import { describeDeployment, withEnvironment } from './restore-text.js';
import type { Step, StepState } from './steps.js';
import type { Differences } from './table-comparison.js';

/** How far a restore is. */
export interface RestoreProgress {
  readonly service: Service;
  readonly at: string;
  /**
   * `done`: the service works again; `deploy`: the epoch is to be raised; `stopped`: by Ctrl-C; `failures`: the relay has failed to
   * publish something; `cancelled`; `dry run`.
   */
  readonly state: 'done' | 'deploy' | 'stopped' | 'failures' | 'cancelled' | 'dry run';
  readonly steps: readonly StepState[];
  readonly epoch: { readonly before: number; readonly after: number; readonly now: number };
  /** Number of functions that stand still. */
  readonly functions: number;
  readonly copies: readonly {
    readonly table: string;
    readonly copy: string;
    /** Absent if there is none (yet, or any more). */
    readonly status: string | undefined;
    readonly differences: Differences | undefined;
  }[];
  /** The commits that the service has forgotten; absent until its relay has published everything. */
  readonly forgotten: LostCommits | undefined;
}

type Context = Pick<CommandContext, 'command' | 'environment' | 'deployment' | 'runbook'> & {
  /** Words of the command that continues. */
  readonly words: readonly string[];
};

const EXIT: Readonly<Record<RestoreProgress['state'], Exit>> = {
  done: Exit.OK,
  cancelled: Exit.OK,
  'dry run': Exit.OK,
  deploy: Exit.PENDING,
  stopped: Exit.PENDING,
  failures: Exit.NEEDS_OPERATOR,
};

/** Keys that the text names; `--json` has more. */
const MAX_NAMED_KEYS = 10;

/** Presents how far a restore is. */
export function toOutcome(applied: RestoreProgress, context: Context): Outcome {
  const next = listNextSteps(applied, context);
  const { service, at, state, steps, epoch, copies, forgotten } = applied;
  return {
    exitCode: EXIT[state],
    text: renderProgress(applied, next, context),
    json: {
      restoreApply: {
        service: service.name,
        at,
        state,
        steps,
        epoch,
        copies: copies.map(({ status, differences, ...names }) => ({
          ...names,
          ...(status !== undefined && { status }),
          ...(differences && { differences }),
        })),
        ...(forgotten && { forgotten }),
        next,
      },
    },
  };
}

/** Returns what comes next: commands, and what to do between them. */
function listNextSteps(
  { state, service, epoch, steps }: RestoreProgress,
  { command, words, ...context }: Context,
): readonly string[] {
  const again = command(...words);
  switch (state) {
    case 'failures':
      return [command(...withEnvironment(context, 'failures', 'list', '--consumer', 'relay')), again];
    case 'deploy':
      return [...describeDeployment(context, service.name, epoch.after), again];
    case 'stopped':
    case 'dry run':
      return [again];
    case 'cancelled':
      return [command(...withEnvironment(context, 'doctor'))];
    case 'done':
      return steps.every((step) => step.state === 'done')
        ? [command(...withEnvironment(context, 'doctor'))]
        : [command(...withEnvironment(context, 'doctor')), command(...words, '--delete-copies')];
  }
}

function describeVerdict({ service: { name }, at, state, epoch, steps }: RestoreProgress): string {
  const next = steps.find((step) => step.state === 'next');
  const place =
    next === undefined ? 'all steps are done' : `step ${steps.indexOf(next) + 1} of ${steps.length} is next`;
  switch (state) {
    case 'done':
      return `${name} is restored to ${at}, in epoch ${epoch.now}`;
    case 'deploy':
      return `${name} has the data of ${at}, and stands still until epoch ${epoch.after} is deployed`;
    case 'stopped':
      return `stopped: ${name} is not restored to ${at} yet, and may stand still: ${place}`;
    case 'failures':
      return `not continued: the relay of ${name} could not publish something. End its failures first`;
    case 'cancelled':
      return `the restore of ${name} to ${at} is cancelled: its functions are started`;
    case 'dry run':
      return `restore of ${name} to ${at}: ${place}`;
  }
}

const WORDS: Readonly<Record<Step, (applied: RestoreProgress) => string>> = {
  stop: ({ functions }) => `stop ${pluralize(functions, 'function')}, all but the relay`,
  publish: () => 'wait until the relay has published everything',
  restore: ({ copies }) => `restore ${copies.map(({ copy }) => copy).join(' and ')}`,
  'copy back': () => 'make the live tables equal to them',
  deploy: ({ epoch }) => `raise the epoch to ${epoch.after}, and deploy (yours)`,
  start: () => 'start the functions',
  'delete copies': () => 'delete the copies (--delete-copies)',
};

function renderProgress(applied: RestoreProgress, next: readonly string[], context: Context): string {
  const { steps, copies, forgotten, state, service, at } = applied;
  const stepRows = steps.map(({ step, state: of }, number) => [of, `${number + 1}.`, WORDS[step](applied)]);
  const differing = copies.flatMap(({ table, differences }) =>
    differences ? renderDifferences(table, differences) : [],
  );
  const after = state === 'done' ? listFollowUpSteps(service, at, context) : [];
  return [
    describeVerdict(applied),
    '',
    ...(state === 'cancelled' ? [] : [alignColumns(stepRows, '  '), '']),
    ...(differing.length > 0 ? [...differing, ''] : []),
    ...(forgotten ? [...renderLostCommits({ service, at, forgotten }), ''] : []),
    ...(after.length > 0
      ? [
          `what is left for you${runbookReference(context)}:`,
          ...after.flatMap(([head, ...lines]) => [`- ${head}`, ...lines.map((line) => `    ${line}`)]),
          '',
        ]
      : []),
    ...['next:', ...next.map((line) => `  ${line}`)],
  ].join('\n');
}

function renderDifferences(table: string, { same, put, deleted, examples }: Differences): readonly string[] {
  const counts = `${table}: ${same} the same, ${put} to put back, ${deleted} to delete`;
  const more = put + deleted > MAX_NAMED_KEYS ? ['  …'] : [];
  return [counts, ...examples.slice(0, MAX_NAMED_KEYS).map((one) => `  ${one}`), ...more];
}
