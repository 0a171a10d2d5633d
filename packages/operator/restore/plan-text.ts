import { runbookPage } from '@orderly/kit/internal/aws/app-names.js';
import type { CommandContext } from '../cli/context.js';
import { aligned, plural } from '../cli/text.js';
import type { Service } from '../deployment/services.js';
import type { PlannedFunction, PlannedTable, RestorePlan } from './facts.js';
import type { Forgotten, HeardBy } from './forgotten.js';
import { deploymentText, wordsOf } from './words.js';

/** Aggregates that the text names; `--json` has all. */
const NAMED = 10;

/** Deliveries of messages may take this long. What was on its way at the instant is looked for, too. */
const ON_THE_WAY_MS = 86_400_000;

type Context = Pick<CommandContext, 'command' | 'runbook' | 'environment' | 'deployment'>;

/** Describes a plan: what can be restored, what will be forgotten, who has heard it, and the steps. */
export function planText(plan: RestorePlan, context: Context): string {
  const { service, at, epoch, tables, forbidden } = plan;
  const obstacles = [
    ...tables.flatMap(({ name, obstacle }) => (obstacle === undefined ? [] : [`${name}: ${obstacle}`])),
    ...(forbidden === undefined ? [] : [forbidden]),
  ];
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

/** Describes what a service forgets, and who has heard it. */
export function forgottenText({
  service,
  at,
  forgotten,
}: {
  readonly service: Pick<Service, 'name'>;
  readonly at: string;
  readonly forgotten: Forgotten;
}): readonly string[] {
  const { commits, first, last, types, subjects, heardBy } = forgotten;
  if (commits === 0) return [`nothing was committed since ${at}: nobody has heard what ${service.name} would forget`];
  const named = subjects.slice(0, NAMED).join(', ');
  const more = subjects.length > NAMED ? `, and ${subjects.length - NAMED} more (--json lists all)` : '';
  const rows = heardBy.map((one) => [`${one.service}/${one.consumer}`, String(one.count), afterwards(one)]);
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
const afterwards = ({ inbox }: HeardBy): string =>
  inbox === 'sequential'
    ? 'takes back what it did for an aggregate with its next event'
    : 'undo by hand what has no event any more';

function stepsText(plan: RestorePlan, context: Context): readonly string[] {
  const { service, at, tables, epoch, functions } = plan;
  const command = (...words: readonly string[]): string => context.command(...wordsOf(context, ...words));
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
      'published = false, so that the relay leaves it out. Only `restore apply` does it.',
    ],
    [
      'Raise the epoch, and deploy:',
      ...deploymentText(context, service.name, epoch + 1),
      'From then on consumers see that versions count from the restored ones again.',
    ],
    [
      'Start the functions, and see that all are as they were deployed:',
      ...eachFunction(functions, startOf),
      eachMapping(functions, 'enabled'),
      command('doctor'),
    ],
    ...afterSteps(service, at, context),
    ['Delete the copies:', ...tables.map(({ copy }) => `aws dynamodb delete-table --table-name ${copy}`)],
  ];
  return [
    'this does the steps 1 to 6, and stops where you have to deploy; repeat it until it says that the service is restored:',
    `   ${command('restore', 'apply', service.name, '--at', at.replace('.000Z', 'Z'))}`,
    '',
    `steps${pageText(context)}:`,
    ...steps.flatMap(([head, ...lines], at) => [`${at + 1}. ${head}`, ...lines.map((line) => `   ${line}`)]),
  ];
}

/** Names the page of the runbook, if the application has one. */
export const pageText = ({ runbook }: Pick<Context, 'runbook'>): string =>
  runbook === undefined ? '' : ` (${runbookPage(runbook, 'Restore to a point in time')})`;

/** Returns the steps after a restore that are an operator's: each with its commands. */
export function afterSteps(service: Service, at: string, context: Context): readonly (readonly string[])[] {
  const command = (...words: readonly string[]): string => context.command(...wordsOf(context, ...words));
  const since = new Date(Date.parse(at) - ON_THE_WAY_MS).toISOString();
  const own = service.consumers.filter(({ projection }) => !projection);
  const projections = service.consumers.filter(({ projection }) => projection);
  return [
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
