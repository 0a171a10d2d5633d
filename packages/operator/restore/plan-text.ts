import { runbookPage } from '@orderly/kit/internal/aws/app-names.js';
import { LIVE_ALIAS } from '@orderly/kit/internal/base/outputs.js';
import type { CommandContext } from '../cli/context.js';
import { alignColumns, pluralize } from '../cli/text-format.js';
import type { Service } from '../deployment/services.js';
import type { AffectedConsumer, LostCommits } from './lost-commits.js';
import type { PlannedFunction, PlannedTable, RestorePlan } from './plan-types.js';
import { describeDeployment, withEnvironment } from './restore-text.js';

/** Aggregates that the text names; `--json` has all. */
const MAX_NAMED_AGGREGATES = 10;

/** Deliveries of messages may take this long. What was on its way at the instant is looked for, too. */
const ON_THE_WAY_MS = 86_400_000;

type Context = Pick<CommandContext, 'command' | 'runbook' | 'environment' | 'deployment'>;

/** Describes a plan: what can be restored, what will be forgotten, who has heard it, and the steps. */
export function renderPlan(plan: RestorePlan, context: Context): string {
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
    alignColumns([['TABLE', 'HOLDS', 'RESTORABLE FROM', 'TO', 'ITEMS', 'SIZE'], ...tables.map(tableRow)]),
    '',
    ...renderLostCommits(plan),
    ...(obstacles.length === 0 ? ['', ...renderSteps(plan, context)] : []),
  ].join('\n');
}

const tableRow = ({ name, holds, state }: PlannedTable): readonly string[] => [
  name,
  holds,
  state?.restorable?.from ?? '-',
  state?.restorable?.to ?? '-',
  String(state?.items ?? '-'),
  state ? formatBytes(state.bytes) : '-',
];

const formatBytes = (bytes: number): string =>
  bytes < 1e6
    ? `${Math.ceil(bytes / 1e3)} KB`
    : bytes < 1e9
      ? `${(bytes / 1e6).toFixed(1)} MB`
      : `${(bytes / 1e9).toFixed(1)} GB`;

/** Describes what a service forgets, and who has heard it. */
export function renderLostCommits({
  service,
  at,
  forgotten,
}: {
  readonly service: Pick<Service, 'name'>;
  readonly at: string;
  readonly forgotten: LostCommits;
}): readonly string[] {
  const { commits, first, last, types, subjects, heardBy } = forgotten;
  if (commits === 0) return [`nothing was committed since ${at}: nobody has heard what ${service.name} would forget`];
  const named = subjects.slice(0, MAX_NAMED_AGGREGATES).join(', ');
  const more =
    subjects.length > MAX_NAMED_AGGREGATES
      ? `, and ${subjects.length - MAX_NAMED_AGGREGATES} more (--json lists all)`
      : '';
  const rows = heardBy.map((one) => [`${one.service}/${one.consumer}`, String(one.count), afterwards(one)]);
  return [
    `forgotten: ${pluralize(commits, 'commit')} of ${pluralize(subjects.length, 'aggregate')}, from ${first} to ${last}`,
    alignColumns(
      types.map(({ type, count }) => [String(count), type]),
      '  ',
    ),
    `  about ${named}${more}`,
    '',
    ...(rows.length === 0
      ? ['no other service receives them']
      : [
          'heard by others, who keep what they did:',
          alignColumns([['CONSUMER', 'MESSAGES', 'AFTERWARDS'], ...rows], '  '),
        ]),
  ];
}

/** Says what a consumer does with later messages, whose versions repeat those that it has heard. */
const afterwards = ({ inbox }: AffectedConsumer): string =>
  inbox === 'sequential'
    ? 'takes back what it did for an aggregate with its next event'
    : 'undo by hand what has no event any more';

function renderSteps(plan: RestorePlan, context: Context): readonly string[] {
  const { service, at, tables, epoch, functions } = plan;
  const command = (...words: readonly string[]): string => context.command(...withEnvironment(context, ...words));
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
      ...describeDeployment(context, service.name, epoch + 1),
      'From then on consumers see that versions count from the restored ones again.',
    ],
    [
      'Start the functions, and see that all are as they were deployed:',
      ...eachFunction(functions, startCommand),
      eachMapping(functions, 'enabled'),
      command('doctor'),
    ],
    ...listFollowUpSteps(service, at, context),
    ['Delete the copies:', ...tables.map(({ copy }) => `aws dynamodb delete-table --table-name ${copy}`)],
  ];
  return [
    'this does the steps 1 to 6, and stops where you have to deploy; repeat it until it says that the service is restored:',
    `   ${command('restore', 'apply', service.name, '--at', at.replace('.000Z', 'Z'))}`,
    '',
    `steps${runbookReference(context)}:`,
    ...steps.flatMap(([head, ...lines], at) => [`${at + 1}. ${head}`, ...lines.map((line) => `   ${line}`)]),
  ];
}

/** Names the page of the runbook, if the application has one. */
export const runbookReference = ({ runbook }: Pick<Context, 'runbook'>): string =>
  runbook === undefined ? '' : ` (${runbookPage(runbook, 'Restore to a point in time')})`;

/** Returns the steps after a restore that are an operator's: each with its commands. */
export function listFollowUpSteps(service: Service, at: string, context: Context): readonly (readonly string[])[] {
  const command = (...words: readonly string[]): string => context.command(...withEnvironment(context, ...words));
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
  // A mapping may invoke an alias of the function (setting `canary`), and AWS lists those by the alias only.
  const query = `EventSourceMappings[?ends_with(FunctionArn, ':$name') || ends_with(FunctionArn, ':$name:${LIVE_ALIAS}')].UUID`;
  const ids = `$(aws lambda list-event-source-mappings --query "${query}" --output text)`;
  const names = functions.map(({ name }) => name).join(' ');
  return `for name in ${names}; do for id in ${ids}; do aws lambda update-event-source-mapping --${state} --uuid "$id"; done; done`;
};

const STOP = 'put-function-concurrency --reserved-concurrent-executions 0';

const startCommand = ({ reserved }: PlannedFunction): string =>
  reserved === undefined
    ? 'delete-function-concurrency'
    : `put-function-concurrency --reserved-concurrent-executions ${reserved}`;
