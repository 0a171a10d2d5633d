import type { CommandContext } from '../context.js';
import type { Listener } from '../services.js';
import { aligned, plural } from '../text.js';
import type { PlannedFunction, PlannedTable, RestorePlan } from './facts.js';

/** Aggregates that the text names; `--json` has all. */
const NAMED = 10;

/** Deliveries of messages may take this long. What was on its way at the instant is looked for, too. */
const ON_THE_WAY_MS = 86_400_000;

type Context = Pick<CommandContext, 'command' | 'runbook'>;

/** Describes a plan: what can be restored, what will be forgotten, who has heard it, and the steps. */
export function planText(plan: RestorePlan, context: Context): string {
  const { service, at, epoch, tables } = plan;
  const obstacles = tables.flatMap(({ name, obstacle }) => (obstacle === undefined ? [] : [`${name}: ${obstacle}`]));
  const verdict =
    obstacles.length === 0
      ? `${service.name} can be restored to ${at}. Its epoch becomes ${epoch + 1}`
      : `${service.name} can't be restored to ${at}: ${obstacles.join('; ')}`;
  return [
    verdict,
    '',
    aligned([['TABLE', 'HOLDS', 'RESTORABLE FROM', 'TO', 'ITEMS', 'SIZE'], ...tables.map(tableRow)]),
    '',
    ...forgottenText(plan),
    ...(obstacles.length === 0 ? ['', ...stepsText(plan, context)] : []),
  ].join('\n');
}

const tableRow = ({ name, holds, state }: PlannedTable): readonly string[] => [
  name,
  holds,
  state?.restorable?.from ?? '-',
  state?.restorable?.to ?? '-',
  String(state?.items ?? '-'),
  state ? sizeOf(state.bytes) : '-',
];

const sizeOf = (bytes: number): string =>
  bytes < 1e6
    ? `${Math.ceil(bytes / 1e3)} KB`
    : bytes < 1e9
      ? `${(bytes / 1e6).toFixed(1)} MB`
      : `${(bytes / 1e9).toFixed(1)} GB`;

function forgottenText({ service, at, epoch, forgotten }: RestorePlan): readonly string[] {
  const { commits, first, last, types, subjects, heardBy } = forgotten;
  if (commits === 0) return [`nothing was committed since ${at}: nobody has heard what ${service.name} would forget`];
  const named = subjects.slice(0, NAMED).join(', ');
  const more = subjects.length > NAMED ? `, and ${subjects.length - NAMED} more (--json lists all)` : '';
  const rows = heardBy.map(({ listener, count }) => [
    `${listener.service.name}/${listener.name}`,
    String(count),
    afterwards(listener, epoch + 1),
  ]);
  return [
    `forgotten: ${plural(commits, 'commit')} of ${plural(subjects.length, 'aggregate')}, from ${first} to ${last}`,
    aligned(
      types.map(({ type, count }) => [String(count), type]),
      '  ',
    ),
    `  about ${named}${more}`,
    '',
    ...(rows.length === 0
      ? ['no other service hears them']
      : ['heard by others, who keep what they did:', aligned([['CONSUMER', 'MESSAGES', 'AFTERWARDS'], ...rows], '  ')]),
  ];
}

/** Says what a consumer does with later messages, whose versions repeat those that it has heard. */
const afterwards = ({ consumer }: Listener, epoch: number): string =>
  consumer?.inbox?.mode === 'sequential'
    ? `parks messages of epoch ${epoch}: raise its generation to process them`
    : 'undo by hand what has no event any more';

function stepsText(plan: RestorePlan, { command, runbook }: Context): readonly string[] {
  const { service, at, tables, epoch, functions } = plan;
  const { name } = service;
  const since = new Date(Date.parse(at) - ON_THE_WAY_MS).toISOString();
  const own = service.consumers.filter(({ projection }) => !projection);
  const projections = service.consumers.filter(({ projection }) => projection);
  const steps: readonly (readonly string[])[] = [
    [
      'Stop the functions of the service, all but its relay, which publishes what is committed. Their messages wait:',
      eachMapping(functions, 'no-enabled'),
      ...eachFunction(functions, () => STOP),
    ],
    [`Wait until its relay has published everything, and no failure of 'relay' is left:`, command('status', '--all')],
    [
      'Restore both tables to the same second. Each becomes a new table; wait until both are there:',
      ...tables.map(
        ({ name: source, copy }) =>
          `aws dynamodb restore-table-to-point-in-time --source-table-name ${source} --target-table-name ${copy} --restore-date-time ${at}`,
      ),
      ...tables.map(({ copy }) => `aws dynamodb wait table-exists --table-name ${copy}`),
    ],
    [
      'Make the live tables equal to them: put what is missing or differs, delete what is new. A commit that was missing gets',
      "published = false, so that the relay leaves it out. The runbook has the script; this command doesn't write.",
    ],
    [
      `Raise the epoch, and deploy: in the settings of this environment, epochs: { ${name}: ${epoch + 1} }.`,
      'From then on consumers see that versions count from the restored ones again.',
    ],
    [
      'Start the functions, and see that all are as they were deployed:',
      ...eachFunction(functions, startOf),
      eachMapping(functions, 'enabled'),
      command('doctor'),
    ],
    ...(own.length === 0
      ? []
      : [
          [
            'Its own consumers have forgotten what they processed since. Let it be sent to them again:',
            ...own.map((one) => command('audit', '--from', since, '--consumer', one.name, '--resend')),
          ],
        ]),
    ...(projections.length === 0
      ? []
      : [['Check its lists:', ...projections.map((one) => command('projections', 'rebuild', one.name, '--check'))]]),
    ['Undo what others keep, by the list above, and compare:', command('audit', '--from', since)],
    ['Delete the copies:', ...tables.map(({ copy }) => `aws dynamodb delete-table --table-name ${copy}`)],
  ];
  return [
    `steps${runbook === undefined ? '' : ` (${runbook}, "Restore to a point in time")`}:`,
    ...steps.flatMap(([head, ...lines], at) => [`${at + 1}. ${head}`, ...lines.map((line) => `   ${line}`)]),
  ];
}

/** Returns loops that do something with each function; those that need the same arguments share one. */
const eachFunction = (
  functions: readonly PlannedFunction[],
  wordsOf: (one: PlannedFunction) => string,
): readonly string[] => {
  const groups = new Map<string, string[]>();
  for (const one of functions) groups.set(wordsOf(one), [...(groups.get(wordsOf(one)) ?? []), one.name]);
  return [...groups].map(
    ([words, names]) => `for name in ${names.join(' ')}; do aws lambda ${words} --function-name "$name"; done`,
  );
};

/**
 * Returns the loop that switches the event source mappings of functions. A function that only has no concurrency would use up
 * the deliveries of its messages, which then become dead letters.
 */
const eachMapping = (functions: readonly PlannedFunction[], state: 'enabled' | 'no-enabled'): string => {
  const ids = `$(aws lambda list-event-source-mappings --function-name "$name" --query 'EventSourceMappings[].UUID' --output text)`;
  const names = functions.map(({ name }) => name).join(' ');
  return `for name in ${names}; do for id in ${ids}; do aws lambda update-event-source-mapping --${state} --uuid "$id"; done; done`;
};

const STOP = 'put-function-concurrency --reserved-concurrent-executions 0';

const startOf = ({ reserved }: PlannedFunction): string =>
  reserved === undefined
    ? 'delete-function-concurrency'
    : `put-function-concurrency --reserved-concurrent-executions ${reserved}`;
