import type { CommandContext } from '../cli/context.js';
import { Exit, OperatorError } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { pluralize } from '../cli/text-format.js';
import { stackPrefix } from '../deployment/stacks.js';
import type { Finding } from '../doctor/checks.js';
import { readResources, readStackStates } from '../doctor/deployed-resources.js';
import type { SkippedCheck } from '../doctor/not-checked.js';
import { type AccountFacts, readAccount } from './account.js';
import { type PlannedResource, readPlannedResources } from './assembly.js';
import {
  checkApiRole,
  checkBackup,
  checkConcurrency,
  checkEvents,
  checkNames,
  checkParameters,
  checkRules,
  checkStates,
  checkSubscribed,
  checkTrail,
  type EventDemand,
} from './checks.js';
import { DEFAULTS_OF, defaultEventQuotas, EVENT_QUOTA_CODES, type EventQuotas } from './event-quotas.js';
import { findRequirements, sumReserved } from './requirements.js';

/** Returns what the API of these templates admits; `undefined` if it admits nothing that sends events. */
export type FindEventDemand = (resources: readonly PlannedResource[]) => EventDemand | undefined;

export interface BeforeRequest {
  /** Folder with the cloud assembly that is to be deployed. */
  readonly assembly: string;
}

type Context = Pick<CommandContext, 'app' | 'environment' | 'endpoint' | 'stacks' | 'deployment'>;

/**
 * `doctor --before`: compares what the templates need with what the account and region have, before anything is deployed.
 * @throws {OperatorError} `refused` at an emulator, `not-found` if there is no assembly of the environment
 */
export async function runBefore(
  context: Context,
  { assembly }: BeforeRequest,
  findDemand?: () => Promise<FindEventDemand>,
): Promise<Outcome> {
  const { app, environment, endpoint } = context;
  if (endpoint.url !== undefined) {
    throw new OperatorError(
      'refused',
      'doctor --before reads the quotas of an account at AWS, and an emulator has none.',
    );
  }
  const planned = readPlannedResources(assembly, stackPrefix(app, environment));
  const demand = (await findDemand?.())?.(planned);
  const facts = readAccount(endpoint);
  try {
    const [deployed, states] = await Promise.all([readResources(context), readStackStates(context)]);
    const statuses = new Map([...states].map(([stack, { status }]) => [stack, status]));
    return await judgeAccount(context, { planned, deployed, statuses, demand }, facts);
  } finally {
    facts.close();
  }
}

/** Judges an account by the templates that are to be deployed into it. */
export async function judgeAccount(
  { app, environment, endpoint: { region }, stacks, deployment }: Context,
  plan: {
    readonly planned: readonly PlannedResource[];
    readonly deployed: readonly Pick<PlannedResource, 'type' | 'properties'>[];
    readonly statuses: ReadonlyMap<string, string>;
    readonly demand: EventDemand | undefined;
  },
  facts: Omit<AccountFacts, 'close'>,
): Promise<Outcome> {
  const needs = findRequirements(plan.planned);
  const settings = deployment?.settings ?? 'the settings';
  const place = { region, settings };
  const checked: string[] = [];
  const unchecked: SkippedCheck[] = [];
  const check = async (
    what: string,
    permission: string,
    find: () => Promise<readonly Finding[]>,
  ): Promise<readonly Finding[]> => {
    try {
      const findings = await find();
      checked.push(what);
      return findings;
    } catch (error) {
      const why = error instanceof Error ? error.name : String(error);
      return [{ check: 'unread', text: `${what} can't be checked (${why})`, advice: `allow the caller ${permission}` }];
    }
  };
  const quotas = await readEventQuotas(facts, region, (why) => unchecked.push({ check: "EventBridge's quotas", why }));
  const findings = (
    await Promise.all([
      check('concurrency of AWS Lambda', 'lambda:GetAccountSettings', async () =>
        checkConcurrency(needs, await facts.concurrency(), sumReserved(plan.deployed), place),
      ),
      check('events per second', 'servicequotas:ListServiceQuotas', async () =>
        plan.demand ? checkEvents(plan.demand, quotas.values, { region, source: quotas.source }) : [],
      ),
      check('rules of a bus', 'servicequotas:ListServiceQuotas', async () =>
        checkRules(needs, quotas.values, { region, source: quotas.source }),
      ),
      check("API Gateway's role", 'apigateway:GET', async () => checkApiRole(needs, await facts.apiRole())),
      check('AWS Backup', 'backup:DescribeRegionSettings', async () =>
        checkBackup(needs, needs.backsUp && (await facts.backsUpDynamoDb())),
      ),
      check(
        'CloudTrail',
        'cloudtrail:DescribeTrails, cloudtrail:GetTrailStatus, cloudtrail:GetEventSelectors',
        async () => checkTrail(needs, needs.onTrail.length > 0 ? await facts.managementTrails() : []),
      ),
      check(pluralize(needs.parameters.length, 'parameter'), 'ssm:DescribeParameters', async () =>
        checkParameters(needs, await facts.parameterTypes(needs.parameters)),
      ),
      check('subscriptions to alarms', 'nothing', async () => checkSubscribed(needs, settings)),
      check('names', 'events:DescribeEventBus', async () => {
        const fresh = needs.buses.filter(({ stack }) => !Object.hasOwn(stacks, stack));
        const taken = await Promise.all(fresh.map(async ({ name }) => ((await facts.hasBus(name)) ? [name] : [])));
        return checkNames(taken.flat());
      }),
      check('stacks', 'cloudformation:DescribeStacks', async () =>
        checkStates(plan.statuses, stackPrefix(app, environment)),
      ),
    ])
  ).flat();
  return {
    exitCode: findings.length === 0 ? Exit.OK : Exit.FAILED,
    text: render(findings, checked, unchecked),
    json: { state: findings.length === 0 ? 'well' : 'findings', findings, checked, unchecked, denied: [] },
  };
}

/** Reads the quotas of the account. If that is refused, the defaults of the region count, and the text says so. */
async function readEventQuotas(
  facts: Pick<AccountFacts, 'eventQuotas'>,
  region: string,
  skip: (why: string) => void,
): Promise<{ readonly values: EventQuotas; readonly source: string }> {
  const defaults = defaultEventQuotas(region);
  try {
    const found = await facts.eventQuotas();
    const read = (name: keyof EventQuotas): number => found.get(EVENT_QUOTA_CODES[name]) ?? defaults[name];
    const values = { invocations: read('invocations'), putEvents: read('putEvents'), rules: read('rules') };
    return { values, source: "this account's quota" };
  } catch (error) {
    const why = error instanceof Error ? error.name : String(error);
    skip(`${why}: AWS's defaults of ${DEFAULTS_OF} are used; allow the caller servicequotas:ListServiceQuotas`);
    return { values: defaults, source: `AWS's default of ${DEFAULTS_OF}` };
  }
}

function render(findings: readonly Finding[], checked: readonly string[], unchecked: readonly SkippedCheck[]): string {
  const verdict =
    findings.length === 0
      ? 'WELL: the account has what the templates need'
      : `${pluralize(findings.length, 'finding')}: deploy after these`;
  return [
    verdict,
    ...(findings.length > 0 ? ['', ...findings.map(({ text, advice }) => `${text}\n      ${advice}`)] : []),
    '',
    `checked: ${checked.join(', ')}`,
    ...unchecked.map(({ check, why }) => `not read: ${check} (${why})`),
  ].join('\n');
}
