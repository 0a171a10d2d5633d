import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createActorLookup } from '../audit-log/actor.js';
import { type Clock, clientConfig, describeEndpoint, type Endpoint, endpointClock } from '../deployment/endpoint.js';
import { parseServices, type Service } from '../deployment/services.js';
import { readDeployment, type StackOutputs } from '../deployment/stacks.js';
import { OperatorError } from './errors.js';
import type { ReportProgress } from './progress.js';
import { type CommandFormatter, commandFormatter } from './text-format.js';

/** Settings of an application's command line. */
export interface OperatedApp {
  /** Name of the application. The names of its stacks begin with it. */
  readonly app: string;
  /** Command that starts the tool, for help and advice; it can be pasted unchanged: `npm run -s shop --`. */
  readonly program: string;
  /**
   * Chooses the endpoint of an environment.
   * @param call `isAwsNamed`: whether the call itself says that it is for AWS, by `--region`, `--profile` or `doctor --before`. A shell's
   *   region says nothing: it is there for other work too
   * @throws {OperatorError} `unreachable`
   */
  readonly resolveEndpoint: (environment: string, call: { readonly isAwsNamed: boolean }) => Promise<Endpoint>;
  /** Version that `--version` prints. @default there is no such option */
  readonly version?: string;
  /** Says in each command's help how the endpoint is chosen. */
  readonly where?: string;
  /** Advice if the stacks cannot be read. */
  readonly unreachableAdvice?: string;
  /** Advice if no service of the environment is deployed. */
  readonly notDeployedAdvice?: (environment: string) => string;
  /**
   * Returns the words of the command that reports on an aggregate: `['order', '3f…']` for `Order/3f…`. Advice names
   * it where an operator has to find out what happened.
   */
  readonly reportOn?: (subject: string) => readonly string[];
  /** How settings are changed. Advice names it where a step is a deployment. */
  readonly deployment?: DeploymentText;
  /** Page with a heading for each alarm, or folder with a page for each, as the constructs' `app.runbook`. Advice names it. */
  readonly runbook?: string;
  /** Names the page of the application's runbook that says what to do. Advice names it beside the next command. */
  readonly pageOn?: (trouble: Incident) => string;
}

/** How an operator changes a setting of the application. */
export interface DeploymentText {
  /** File with the settings: `lib/settings.ts`. */
  readonly settings: string;
  /** Returns the command that deploys an environment: `npx cdk deploy --all -c environment=prod`. */
  readonly command: (environment: string) => string;
}

/** Incident that an operator has to end: a failure with this newest reason, or a saga that is stuck for this one. */
export type Incident =
  | { readonly what: 'failure'; readonly consumer: string; readonly error: string }
  | { readonly what: 'stuck saga'; readonly reason: string | undefined };

/** Where a line that a command runs writes. Nobody answers its questions. */
export interface LineOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Context of a command: one environment of the application. */
export interface CommandContext extends Pick<OperatedApp, 'app' | 'reportOn' | 'pageOn' | 'runbook' | 'deployment'> {
  readonly environment: string;
  /** Environment with its place, for people: `prod at AWS eu-west-1, account 123456789012`. */
  readonly place?: string;
  readonly endpoint: Endpoint;
  /** Clock of the environment: the only one that a command asks. */
  readonly clock: Clock;
  /** Reads and writes items as plain objects. */
  readonly documents: DynamoDBDocumentClient;
  readonly stacks: StackOutputs;
  /** Names of stacks that belong to the environment, but don't exist. @default nothing is known of such stacks */
  readonly missingStacks?: readonly string[];
  readonly services: readonly Service[];
  readonly command: CommandFormatter;
  /**
   * Returns who runs the command, for whatever keeps it.
   * @throws {OperatorError} `unreachable`
   */
  readonly actor: () => Promise<string>;
  /**
   * Lets a person confirm what can't be undone, for a command that says first how much it is: at AWS, without `--yes`.
   * @throws {OperatorError} `refused` without a yes
   */
  readonly confirm?: (what: string) => Promise<void>;
  /** Runs another line of the same command line. @returns its exit code */
  readonly runLine?: (words: readonly string[], output: LineOutput) => Promise<number>;
  readonly say: ReportProgress;
}

/**
 * Finds an environment of an application.
 * @param call `mayBeMissing`: whether it need not be deployed yet; `isAwsNamed`: see `OperatedApp.resolveEndpoint`
 * @throws {OperatorError} `unreachable` if AWS refuses the access, `not-found` if no service is deployed
 */
export async function openContext(
  operated: OperatedApp,
  environment: string,
  say: CommandContext['say'],
  { mayBeMissing = false, isAwsNamed = false }: { readonly mayBeMissing?: boolean; readonly isAwsNamed?: boolean } = {},
): Promise<CommandContext> {
  const {
    app,
    program,
    resolveEndpoint: endpointOf,
    unreachableAdvice: ifUnreachable,
    notDeployedAdvice: ifNotDeployed,
    reportOn,
    pageOn,
    runbook,
    deployment,
  } = operated;
  const endpoint = await endpointOf(environment, { isAwsNamed });
  const { stacks, account } = await readDeployment(endpoint, app, environment).catch((cause: unknown) => {
    const why = cause instanceof Error ? describeAwsError(cause) : String(cause);
    const message = `The stacks of '${environment}' can't be read at ${describeEndpoint(endpoint)} (${why}).`;
    throw new OperatorError('unreachable', message, ifUnreachable, { cause });
  });
  // An emulator's account is always the same, and nobody's.
  const inAccount = endpoint.url === undefined && account !== undefined ? `, account ${account}` : '';
  const place = `${environment} at ${describeEndpoint(endpoint)}${inAccount}`;
  say(place);
  const services = parseServices(stacks);
  if (services.length === 0 && !mayBeMissing) {
    const message = `No service of '${environment}' is deployed at ${describeEndpoint(endpoint)}.`;
    throw new OperatorError('not-found', message, ifNotDeployed?.(environment));
  }
  return {
    app,
    environment,
    place,
    endpoint,
    clock: endpointClock(endpoint),
    documents: DynamoDBDocumentClient.from(new DynamoDBClient(clientConfig(endpoint))),
    stacks,
    services,
    command: commandFormatter(program),
    say,
    actor: createActorLookup(endpoint),
    ...(reportOn && { reportOn }),
    ...(runbook !== undefined && { runbook }),
    ...(pageOn && { pageOn }),
    ...(deployment && { deployment }),
  };
}

/** AWS's own errors have names that say enough; of credentials that aren't there, the message says which. */
const describeAwsError = ({ name, message }: Error): string => (name === 'CredentialsProviderError' ? message : name);
