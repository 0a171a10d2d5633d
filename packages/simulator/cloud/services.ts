import type { HttpResponse } from '../runtime/http.js';
import { apigatewayApi } from '../services/apigateway/api.js';
import { cloudformationApi } from '../services/cloudformation/api.js';
import { cloudwatchApi } from '../services/cloudwatch/api.js';
import type { UserPools } from '../services/cognito/model.js';
import { DynamoDbApi } from '../services/dynamodb/api.js';
import { OPERATIONS } from '../services/dynamodb/model.js';
import type { Consumed } from '../services/dynamodb/wire.js';
import { eventsApi } from '../services/events/api.js';
import type { Access, Iam } from '../services/iam/model.js';
import { kinesisApi } from '../services/kinesis/api.js';
import type { Kms } from '../services/kms/model.js';
import { lambdaApi } from '../services/lambda/api.js';
import type { CallingFunction } from '../services/lambda/sandbox.js';
import { logsApi } from '../services/logs/api.js';
import { s3Api } from '../services/s3/api.js';
import { schedulerApi } from '../services/scheduler/api.js';
import type { Secrets } from '../services/secretsmanager/model.js';
import { snsApi } from '../services/sns/api.js';
import { sqsApi } from '../services/sqs/api.js';
import type { Parameters as SsmParameters } from '../services/ssm/model.js';
import { statesApi } from '../services/states/api.js';
import { stsApi } from '../services/sts/api.js';
import { type Operation, type Operations, RawResponse, Refused, UnknownOperation } from '../wire/operation.js';
import type { Presigned } from '../wire/presigned.js';
import type { AwsError, AwsRequest, WireRequest } from '../wire/request.js';
import { accessDenied, requiredAccesses } from './accesses.js';

/** Result of a service's request: an answer (members of its JSON, or a raw response), or an error. */
export type Answer =
  | {
      readonly output: object;
      /** Capacity units of DynamoDB, whether the request asked for them or not. */
      readonly consumed?: readonly Consumed[];
    }
  | { readonly raw: HttpResponse }
  | { readonly error: AwsError };

/** An answer that comes later: that of a function that was invoked. @param fail gets what is no refusal of AWS. @default nobody gets it */
export type Later = (then: (answer: Answer) => void, fail?: (error: Error) => void) => void;

const APIS = {
  apigateway: apigatewayApi,
  cloudformation: cloudformationApi,
  'cognito-idp': ({ userPools }: { readonly userPools: UserPools }) => userPools.operations,
  events: eventsApi,
  kinesis: kinesisApi,
  kms: ({ kms }: { readonly kms: Kms }) => kms.operations,
  lambda: lambdaApi,
  logs: logsApi,
  monitoring: cloudwatchApi,
  s3: s3Api,
  scheduler: schedulerApi,
  secretsmanager: ({ secrets }: { readonly secrets: Secrets }) => secrets.operations,
  sns: snsApi,
  sqs: sqsApi,
  ssm: ({ parameters }: { readonly parameters: SsmParameters }) => parameters.operations,
  states: statesApi,
  sts: stsApi,
};

type AllOf<Union> = (Union extends unknown ? (part: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** All that the services need of their account, each a part of it. */
type Account = AllOf<
  Parameters<(typeof APIS)[keyof typeof APIS]>[0] | ConstructorParameters<typeof DynamoDbApi>[0] | { readonly iam: Iam }
>;

/** Operations that functions may ask for, where they are fewer than those of callers from outside: of the others no fault is modelled. */
const OF_FUNCTIONS: Readonly<Record<string, RegExp>> = {
  events: /^PutEvents$/,
  logs: /^(DescribeLogGroups|FilterLogEvents|StartQuery|GetQueryResults)$/,
  s3: /^((Get|Head|Put|Delete)Object|HeadBucket|ListObjectsV2)$/,
  secretsmanager: /^(Get|List|Describe|Put)/,
  sns: /^Publish(Batch)?$/,
  sqs: /^((SendMessage|DeleteMessage|ChangeMessageVisibility)(Batch)?|PurgeQueue|GetQueueAttributes|ListQueues)$/,
  ssm: /^Get/,
  states: /^(Start(Sync)?Execution|StopExecution|DescribeExecution|ListExecutions|GetExecutionHistory|SendTask\w+)$/,
};

/** A function or a state machine, which calls with the rights of its role. */
type Principal = Pick<CallingFunction, 'label' | 'role' | 'resource'>;

/** The services of an account, each with its operations, for functions and for callers from outside. */
export interface Services {
  /** Names of all operations, by the name with which requests to their service are signed. */
  readonly served: Readonly<Record<string, readonly string[]>>;
  /** @throws {UnknownOperation} */
  operation(request: Pick<WireRequest, 'service' | 'operation'>): Operation;
  /** Begins a function's request and locks what it needs until it is carried out. @returns a function that ends it */
  begin(request: AwsRequest): () => void;
  /** Carries a function's request out, at once and whole, or begins what is answered later, if the function's role allows it. */
  perform(request: AwsRequest, caller: { readonly fn: Principal }): Answer | Later;
}

export class AccountServices implements Services {
  private readonly dynamodb: DynamoDbApi;
  /** Operations by service; each service's are made when the first one is asked for. */
  private readonly made = new Map<string, Operations>();

  /** @param log called with what a person at a terminal should know */
  constructor(
    private readonly account: Account,
    private readonly log: (line: string) => void,
  ) {
    this.dynamodb = new DynamoDbApi(account);
  }

  get served(): Readonly<Record<string, readonly string[]>> {
    const names = Object.keys(APIS).map((service) => [service, Object.keys(this.operationsOf(service))] as const);
    return { ...Object.fromEntries(names), dynamodb: OPERATIONS };
  }

  operation({ service, operation }: Pick<WireRequest, 'service' | 'operation'>): Operation {
    if (service === 'dynamodb') return (input) => this.dynamodb.call(operation, input).output;
    const operations = this.operationsOf(service);
    const found = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
    if (!found) throw new UnknownOperation(`${service} ${operation}`);
    return found;
  }

  private operationsOf(service: string): Operations {
    const known = this.made.get(service);
    if (known || !Object.hasOwn(APIS, service)) return known ?? {};
    const api: (account: Account) => Operations = APIS[service as keyof typeof APIS];
    const operations = api(this.account);
    this.made.set(service, operations);
    return operations;
  }

  begin({ service, operation, input }: AwsRequest): () => void {
    return service === 'dynamodb' ? this.dynamodb.begin(operation, input) : () => undefined;
  }

  /** Returns the function that has signed the address of a request, whose rights it then has, whoever sends it. */
  private signerOf({ input }: AwsRequest): Principal | undefined {
    const presigned = input.Presigned as Presigned | undefined;
    return (
      presigned && [...this.account.functions.values()].find(({ sessionToken }) => sessionToken === presigned.token)
    );
  }

  perform(request: AwsRequest, caller: { readonly fn: Principal }): Answer | Later {
    const { iam, world } = this.account;
    const { service, operation, input, refusedEntries, staleBy } = request;
    const { label, role, resource } = this.signerOf(request) ?? caller.fn;
    const denied = requiredAccesses(request, this.account).find(
      (access) =>
        !iam.roleAllows(role, access) ||
        iam.resourceDenies(access) ||
        (service === 'kms' && !iam.keyDelegatesToRole(role, access)),
    );
    const refuse = (access: Access): Answer => {
      const { action, resource: object, context = {} } = access;
      const line = `${label} DENIED ${action} on ${object} for ${role} ${JSON.stringify(context)}`;
      world.note(line);
      this.log(line);
      return { error: accessDenied(request, resource.arn, access) };
    };
    if (denied) return refuse(denied);
    const call = { by: label, ...(refusedEntries && { refusedEntries }), ...(staleBy !== undefined && { staleBy }) };
    try {
      if (service === 'dynamodb') {
        const { output, effects } = this.dynamodb.call(operation, input, call);
        return { output, consumed: effects.consumed };
      }
      if (OF_FUNCTIONS[service]?.test(operation) === false) throw new UnknownOperation(`${service} ${operation}`);
      const output = this.operation(request)(input, call);
      if (!(output instanceof Promise)) return answerOf(output);
      return (then, fail) =>
        void output.then(
          (found) => then(answerOf(found)),
          (error: unknown) => (fail && !(error instanceof Refused) ? fail(error as Error) : then(toRefusal(error))),
        );
    } catch (error) {
      const hidden = hiddenBy(request, error);
      return hidden && !iam.roleAllows(role, hidden) ? refuse(hidden) : toRefusal(error);
    }
  }
}

/** Returns the access without which nobody learns that an object isn't there. Amazon S3 API Reference, "GetObject", "Permissions". */
const hiddenBy = ({ input }: AwsRequest, error: unknown): Access | undefined =>
  error instanceof Refused && error.error.code === 'NoSuchKey'
    ? { action: 's3:ListBucket', resource: `arn:aws:s3:::${String(input.Bucket)}` }
    : undefined;

const answerOf = (output: object): Answer => (output instanceof RawResponse ? { raw: output.response } : { output });

/** @throws what is no refusal of AWS */
function toRefusal(error: unknown): Answer {
  if (error instanceof Refused) return { error: error.error };
  throw error;
}
