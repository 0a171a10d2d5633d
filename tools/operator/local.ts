import type { Outcome } from '@orderly/operator';
import { type CommandContext, Exit, OperatorError, operatorCommand } from '@orderly/operator/definitions';
import type { LiveStatus } from '@orderly/simulator';
import { LocalCloudClient, LocalCloudRefused, parseDuration } from '@orderly/simulator/client';

/** Milliseconds before now in which messages may still be on their way: the audit needs not judge them. */
const NOT_YET_AUDITED = 3_600_000;

/** Commands for a local cloud (`npm start`): time and trouble on request. */
export const localCommands = [
  operatorCommand({
    name: 'local status',
    usage: 'local status',
    positionals: [],
    options: {},
    example: ['local', 'status'],
    about: "a local cloud's time, stacks, and the faults that it is still to make",
    details: 'Ends with 1 where no local cloud runs.',
    parse: () => ({}),
    run: (context) => inLocalCloud(context, async (cloud) => renderStatus(await cloud.status())),
  }),
  operatorCommand({
    name: 'local forward',
    usage: 'local forward <duration>',
    positionals: ['duration'],
    options: {},
    example: ['local', 'forward', '36d'],
    about: 'lets time pass at once in a local cloud: timers, TTL, retention and dedupe windows happen, in order',
    details: 'A duration is 90s, 15m, 2h, 36d or 1d12h. What is sent afterwards has the new time.',
    parse: ({ words: [duration], wrong }) => {
      try {
        return { milliseconds: parseDuration(duration) };
      } catch (error) {
        throw wrong((error as Error).message);
      }
    },
    run: (context, { milliseconds }) =>
      inLocalCloud(context, async (cloud) => {
        context.say('time passes: what is due in it happens now, in order ...');
        const status = await cloud.forward(milliseconds);
        const { auditSkippedTime: auditSkipped } = await import('@orderly/operator');
        await auditSkipped(context, new Date(Date.parse(status.now) - NOT_YET_AUDITED).toISOString());
        return renderStatus(status, `passed in ${(status.took / 1000).toFixed(1)} s`);
      }),
  }),
  operatorCommand({
    name: 'local fault',
    names: { word: findConstructs },
    usage: 'local fault <construct> <kind> [--next <n>] [--every <n>]',
    positionals: ['construct', 'kind'],
    options: { next: { type: 'string', default: '1' }, every: { type: 'string', default: '1' } },
    example: ['local', 'fault', 'Orders/PlaceOrder', 'killed-after', '--next', '1'],
    about: 'makes faults in a local cloud: a function dies after its write, a message comes twice, ...',
    details: `The construct is that of a function, queue or rule, as Orders/PlaceOrder, or * for any: 'local constructs' lists
them, with the kinds that can happen to each. A wrong name or kind is answered with the most similar one.
  --next <n>    how many faults (1)
  --every <n>   one at each so-manieth chance (1)`,
    parse: ({ words: [owner, kind], options: { next, every } }) => ({ owner, kind, next: +next, every: +every }),
    run: (context, { owner, kind, next, every }) =>
      inLocalCloud(context, async (cloud) => renderStatus(await cloud.injectFault(owner, kind, { next, every }))),
  }),
  operatorCommand({
    name: 'local constructs',
    usage: 'local constructs [<part of a name>]',
    positionals: ['part of a name?'],
    options: {},
    example: ['local', 'constructs', 'Inventory/'],
    about: "lists the constructs of a local cloud for 'local fault', and the kinds of faults that can happen to each",
    details: 'Without a part of a name, all of them. Upper and lower case are the same.',
    parse: ({ words: [part = ''] }) => ({ part }),
    run: (context, { part }) =>
      inLocalCloud(context, async (cloud) => {
        const { owners, kinds } = await cloud.owners();
        const found = owners.filter(({ owner }) => owner.toLowerCase().includes(part.toLowerCase()));
        return { exitCode: Exit.OK, text: renderOwners(found, kinds), json: { owners: found, kinds } };
      }),
  }),
  operatorCommand({
    name: 'local calm',
    usage: 'local calm',
    positionals: [],
    options: {},
    example: ['local', 'calm'],
    about: 'withdraws the faults that a local cloud is still to make',
    details: 'What has happened stays.',
    parse: () => ({}),
    run: (context) => inLocalCloud(context, async (cloud) => renderStatus(await cloud.clearFaults())),
  }),
  operatorCommand({
    name: 'local duplicate',
    usage: 'local duplicate <message id>',
    positionals: ['message id'],
    options: {},
    example: ['local', 'duplicate', '01a1f83c-e339-7729-a427-ec03001b7bc6'],
    about: 'delivers an event or a command of a local cloud again, to everybody who receives it',
    details: '`order <order id>` prints the ids. A local cloud knows the newest ones that its bus has taken.',
    parse: ({ words: [id] }) => ({ id }),
    run: (context, { id }) =>
      inLocalCloud(context, async (cloud) => {
        const type = await cloud.redeliver(id);
        return { exitCode: Exit.OK, text: `${type} ${id} is on the bus again`, json: { type, id } };
      }),
  }),
  operatorCommand({
    name: 'local reset',
    usage: 'local reset',
    positionals: [],
    options: {},
    example: ['local', 'reset'],
    about: 'empties every table, queue and bucket of a local cloud; its clock shows the real time again',
    details: 'It can not be undone.',
    parse: () => ({}),
    run: (context) => inLocalCloud(context, async (cloud) => renderStatus(await cloud.reset(), 'everything is empty')),
  }),
];

/** Finds the constructs of a local cloud, and behind one of them the kinds of faults that can happen to it. */
async function findConstructs(
  { endpoint: { url } }: Pick<CommandContext, 'endpoint'>,
  words: readonly string[],
): Promise<readonly string[]> {
  if (url === undefined) return [];
  const { owners, kinds } = await new LocalCloudClient(url).owners();
  const [named, another] = words;
  if (named === undefined) return owners.map(({ owner }) => owner);
  const types = owners.filter(({ owner }) => named === '*' || owner === named).map(({ type }) => type);
  return another === undefined ? [...new Set(types.flatMap((type) => kinds[type]))] : [];
}

/** @throws {OperatorError} `refused` with the reason; `not-found` where no local cloud runs */
async function inLocalCloud(
  { endpoint: { url } }: Pick<CommandContext, 'endpoint'>,
  work: (cloud: LocalCloudClient) => Promise<Outcome>,
): Promise<Outcome> {
  if (url === undefined) throw new OperatorError('not-found', 'This is AWS, and no local cloud.', 'npm start');
  try {
    return await work(new LocalCloudClient(url));
  } catch (error) {
    if (!(error instanceof LocalCloudRefused)) throw error;
    throw new OperatorError('refused', error.message, undefined, { cause: error });
  }
}

type Owners = Awaited<ReturnType<LocalCloudClient['owners']>>;

/** Lists constructs, and for each type the kinds of faults: lines of at most 80 characters, as long as no construct has a longer name. */
function renderOwners(found: Owners['owners'], kinds: Owners['kinds']): string {
  if (found.length === 0) return "no construct has such a name; 'local constructs' lists all of them";
  const types = (['function', 'queue', 'rule'] as const).filter((type) => found.some((one) => one.type === type));
  return [
    ...found.map(({ owner, type }) => `${type.padEnd('function'.length)}  ${owner}`),
    ...types.flatMap((type) => ['', `kinds for a ${type}:`, ...inLines(kinds[type])]),
  ].join('\n');
}

function inLines(words: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length + 2 <= 80) lines[lines.length - 1] = `${last}, ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines;
}

function renderStatus(status: LiveStatus, first?: string): Outcome {
  const { now, ahead, stacks, faults } = status;
  const days = ahead / 86_400_000;
  const clock =
    ahead > 1000 ? `, ${days >= 1 ? `${days.toFixed(1)} days` : `${(ahead / 1000).toFixed(0)} s`} ahead` : '';
  const lines = [
    ...(first === undefined ? [] : [first]),
    `its clock: ${now}${clock}`,
    `stacks: ${stacks.length}`,
    ...faults.map(({ owner, kind, left }) => `to be made: ${left} x ${kind} at ${owner}`),
  ];
  return { exitCode: Exit.OK, text: lines.join('\n'), json: { ...status } };
}
