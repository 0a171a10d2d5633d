import type { CommandContext } from '../cli/context.js';
import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { aligned, plural } from '../cli/text.js';
import type { Service } from '../deployment/services.js';
import type { Differences } from './copy-back.js';
import type { Forgotten } from './forgotten.js';
import { afterSteps, forgottenText, pageText } from './plan-text.js';
import type { Step, StepState } from './steps.js';
import { deploymentText, wordsOf } from './words.js';

/** How far a restore is. */
export interface Applied {
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
  readonly forgotten: Forgotten | undefined;
}

type Context = Pick<CommandContext, 'command' | 'environment' | 'deployment' | 'runbook'> & {
  /** Words of the command that continues. */
  readonly words: readonly string[];
};

const EXIT: Readonly<Record<Applied['state'], Exit>> = {
  done: Exit.OK,
  cancelled: Exit.OK,
  'dry run': Exit.OK,
  deploy: Exit.PENDING,
  stopped: Exit.PENDING,
  failures: Exit.NEEDS_OPERATOR,
};

/** Keys that the text names; `--json` has more. */
const NAMED = 10;

/** Presents how far a restore is. */
export function appliedOutcome(applied: Applied, context: Context): Outcome {
  const next = nextOf(applied, context);
  const { service, at, state, steps, epoch, copies, forgotten } = applied;
  return {
    exitCode: EXIT[state],
    text: textOf(applied, next, context),
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
function nextOf({ state, service, epoch, steps }: Applied, { command, words, ...context }: Context): readonly string[] {
  const again = command(...words);
  switch (state) {
    case 'failures':
      return [command(...wordsOf(context, 'failures', 'list', '--consumer', 'relay')), again];
    case 'deploy':
      return [...deploymentText(context, service.name, epoch.after), again];
    case 'stopped':
    case 'dry run':
      return [again];
    case 'cancelled':
      return [command(...wordsOf(context, 'doctor'))];
    case 'done':
      return steps.every((step) => step.state === 'done')
        ? [command(...wordsOf(context, 'doctor'))]
        : [command(...wordsOf(context, 'doctor')), command(...words, '--delete-copies')];
  }
}

function verdictOf({ service: { name }, at, state, epoch, steps }: Applied): string {
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

const WORDS: Readonly<Record<Step, (applied: Applied) => string>> = {
  stop: ({ functions }) => `stop ${plural(functions, 'function')}, all but the relay`,
  publish: () => 'wait until the relay has published everything',
  restore: ({ copies }) => `restore ${copies.map(({ copy }) => copy).join(' and ')}`,
  'copy back': () => 'make the live tables equal to them',
  deploy: ({ epoch }) => `raise the epoch to ${epoch.after}, and deploy (yours)`,
  start: () => 'start the functions',
  'delete copies': () => 'delete the copies (--delete-copies)',
};

function textOf(applied: Applied, next: readonly string[], context: Context): string {
  const { steps, copies, forgotten, state, service, at } = applied;
  const stepRows = steps.map(({ step, state: of }, number) => [of, `${number + 1}.`, WORDS[step](applied)]);
  const differing = copies.flatMap(({ table, differences }) => (differences ? differenceText(table, differences) : []));
  const after = state === 'done' ? afterSteps(service, at, context) : [];
  return [
    verdictOf(applied),
    '',
    ...(state === 'cancelled' ? [] : [aligned(stepRows, '  '), '']),
    ...(differing.length > 0 ? [...differing, ''] : []),
    ...(forgotten ? [...forgottenText({ service, at, forgotten }), ''] : []),
    ...(after.length > 0
      ? [
          `what is left for you${pageText(context)}:`,
          ...after.flatMap(([head, ...lines]) => [`- ${head}`, ...lines.map((line) => `    ${line}`)]),
          '',
        ]
      : []),
    ...['next:', ...next.map((line) => `  ${line}`)],
  ].join('\n');
}

function differenceText(table: string, { same, put, deleted, examples }: Differences): readonly string[] {
  const counts = `${table}: ${same} the same, ${put} to put back, ${deleted} to delete`;
  const more = put + deleted > NAMED ? ['  …'] : [];
  return [counts, ...examples.slice(0, NAMED).map((one) => `  ${one}`), ...more];
}
