import type { Assembly, Resource } from '../../assembly/assembly.js';
import { fillAnswers, isRun, listAnswerReferences } from '../../assembly/custom-resources.js';
import { waitConditionHost } from '../../assembly/identity.js';
import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import type { EventLoop } from '../../engine/event-loop.js';
import type { HttpRequest, HttpResponse } from '../../runtime/http.js';
import { NotModelled } from '../../wire/operation.js';

/** Seconds in which a custom resource must be answered, unless it says `ServiceTimeout`. AWS CloudFormation, "AWS::CloudFormation::CustomResource". */
const SERVICE_TIMEOUT = 3_600;
/** "The total size of the response body can't exceed 4096 bytes." AWS CloudFormation, "Custom resource response objects". */
const MAX_RESPONSE = 4_096;

/** A deployment that fails: a custom resource, or a wait condition, that says so or never answers. */
export class DeploymentFailed extends Error {
  override readonly name = 'DeploymentFailed';
}

/** A function, whose variables may refer to what a custom resource answers. */
interface Reader {
  readonly variables: Readonly<Record<string, string>>;
  update(change: { readonly variables: Readonly<Record<string, string>> }): void;
}

/** Parts of an account with which custom resources are created. */
interface Around {
  readonly world: EventLoop;
  readonly asynchronous: { invokeAsync(functionArn: string, event: unknown): void };
  readonly functions: ReadonlyMap<string, Reader>;
  readonly thirdParties: {
    add(host: string, model: { answer(request: HttpRequest): HttpResponse | undefined; refuse(): HttpResponse }): void;
  };
  /** Called with what a person at a terminal should know. */
  readonly log?: ((line: string) => void) | undefined;
}

/** A resource whose creation has begun, and what takes its answers. */
interface Awaited {
  readonly resource: Resource;
  /** Takes an answer. @returns whether that is the end */
  take(body: string): boolean;
}

const OK: HttpResponse = { status: 200, headers: {}, body: '' };
const FORBIDDEN: HttpResponse = { status: 403, headers: {}, body: '' };

/**
 * The part of a deployment that takes code: custom resources whose function is one of the assembly, and wait conditions. They are created at
 * the beginning of a history, one custom resource after the other in the order of the templates. Each function is invoked asynchronously, and
 * answers by a PUT to the ResponseURL. AWS CloudFormation, "Create custom provisioning logic with custom resources"; AWS Lambda, "Using Lambda
 * with CloudFormation".
 */
export class CustomResources {
  private readonly awaited = new Map<string, Awaited>();
  private readonly left: Resource[];
  private failure: string | undefined;
  /** Data of each answer, by `<stack>/<logical id>`. */
  private readonly answers = new Map<string, JsonObject>();

  constructor(
    private readonly assembly: Assembly,
    private readonly around: Around,
  ) {
    const { world, thirdParties } = around;
    this.left = assembly.resources.filter(isRun);
    const conditions = assembly.findByType('AWS::CloudFormation::WaitCondition');
    if (!this.isUnderWay && conditions.length === 0) return;
    const model = { answer: (request: HttpRequest) => this.answer(request), refuse: () => FORBIDDEN };
    for (const host of [this.host, waitConditionHost(assembly.home)]) thirdParties.add(host, model);
    for (const condition of conditions) this.await(condition);
    world.after(0, () => this.createNext());
  }

  /** Whether something is still to be created. */
  get isUnderWay(): boolean {
    return this.failure === undefined && (this.left.length > 0 || this.awaited.size > 0);
  }

  /** Lets a history go on until all is created. @throws {DeploymentFailed} */
  async created(): Promise<void> {
    await this.around.world.until(() => !this.isUnderWay);
    if (this.failure !== undefined) throw new DeploymentFailed(this.failure);
  }

  /** Puts answers in the place of references to them. */
  fill<Value extends Json>(value: Value): Value {
    return fillAnswers(value, this.answers);
  }

  /** @throws {NotModelled} if its provider is nothing that is invoked here */
  static check({ properties: { ServiceToken } }: Resource, functions: ReadonlyMap<string, unknown>): void {
    if (functions.has(String(ServiceToken))) return;
    throw new NotModelled(`its provider ${String(ServiceToken)} is no function of this assembly`);
  }

  private get host(): string {
    const { region } = this.assembly.home;
    return `cloudformation-custom-resource-response-${region.replaceAll('-', '')}.s3.${region}.amazonaws.com`;
  }

  private createNext(): void {
    if (this.left.length === 0) return;
    const next = this.left.findIndex(({ properties }) =>
      listAnswerReferences(properties).every(({ id }) => this.answers.has(id)),
    );
    const [resource] = this.left.splice(Math.max(0, next), 1);
    if (resource === undefined) return;
    if (next < 0) {
      this.fail(resource.label, 'it refers to a custom resource that refers to it');
      return;
    }
    const { world, asynchronous } = this.around;
    const { logicalId, stack, type, label } = resource;
    const properties = this.fill(resource.properties);
    const RequestId = world.random.id();
    const StackId = this.assembly.home.arn('cloudformation', `stack/${stack}/simulated`);
    const path = `/${encodeURIComponent(`${StackId}|${logicalId}|${RequestId}`)}`;
    const ids = { StackId, RequestId, LogicalResourceId: logicalId };
    this.expect(path, { resource, take: (body) => this.takeAnswer(resource, ids, body) }, properties.ServiceTimeout);
    world.note(`${label} is being created`);
    asynchronous.invokeAsync(String(properties.ServiceToken), {
      RequestType: 'Create',
      ServiceToken: properties.ServiceToken,
      ResponseURL: `https://${this.host}${path}?Expires=${Math.floor(world.now / 1000) + SERVICE_TIMEOUT}`,
      ...ids,
      ResourceType: type,
      ResourceProperties: toText(properties),
    });
  }

  /** Takes the answer of a custom resource. AWS CloudFormation, "Custom resource response objects". */
  private takeAnswer(
    { label, stack, logicalId }: Resource,
    ids: Readonly<Record<string, string>>,
    body: string,
  ): boolean {
    const answer = parse(body);
    const id = `${stack}/${logicalId}`;
    const data = { ...((answer?.Data ?? {}) as JsonObject), Ref: String(answer?.PhysicalResourceId) };
    const wanted = this.assembly.resources.flatMap(({ properties }) => listAnswerReferences(properties));
    const missing = wanted.find((one) => one.id === id && !Object.hasOwn(data, one.attribute));
    const other = Object.entries(ids).find(([name, value]) => answer?.[name] !== value);
    if (Buffer.byteLength(body) > MAX_RESPONSE) this.fail(label, 'Response object is too long');
    else if (answer?.Status !== 'SUCCESS') this.fail(label, String(answer?.Reason ?? `its answer is ${body}`));
    else if (other) this.fail(label, `its answer has another ${other[0]}`);
    else if (typeof answer.PhysicalResourceId !== 'string' || answer.PhysicalResourceId === '')
      this.fail(label, 'Invalid PhysicalResourceId');
    else if (missing) this.fail(label, `Vendor response doesn't contain ${missing.attribute} attribute`);
    else {
      this.answers.set(id, data);
      this.updateReaders(id);
      this.around.world.note(`${label} is created: ${answer.PhysicalResourceId}`);
      this.createNext();
    }
    return true;
  }

  /** Puts an answer into the variables of functions that refer to it. */
  private updateReaders(id: string): void {
    for (const fn of this.around.functions.values()) {
      const { variables } = fn;
      if (listAnswerReferences(variables).some((one) => one.id === id)) fn.update({ variables: this.fill(variables) });
    }
  }

  /** Waits for the signals of a condition. AWS CloudFormation, "Create wait conditions in a CloudFormation template". */
  private await(condition: Resource): void {
    const { Handle, Count = 1, Timeout } = condition.properties;
    const received = new Set<string>();
    this.expect(
      new URL(String(Handle)).pathname,
      {
        resource: condition,
        take: (body) => {
          const { Status, UniqueId, Reason } = parse(body) ?? {};
          if (Status !== 'SUCCESS') {
            this.fail(condition.label, `WaitCondition received failed message: '${String(Reason)}'`);
            return true;
          }
          received.add(String(UniqueId));
          return received.size >= Number(Count);
        },
      },
      Timeout,
    );
  }

  private expect(path: string, awaited: Awaited, timeout: Json = SERVICE_TIMEOUT): void {
    this.awaited.set(path, awaited);
    this.around.world.afterInBackground(Number(timeout) * 1000, () => {
      if (this.awaited.get(path) !== awaited) return;
      this.awaited.delete(path);
      this.fail(awaited.resource.label, `no answer within ${Number(timeout)} s`);
    });
  }

  /** Answers a presigned address: it takes a PUT, and knows nobody. What comes after the end changes nothing. */
  private answer({ method, path, body }: HttpRequest): HttpResponse {
    if (method !== 'PUT') return FORBIDDEN;
    const key = path.split('?')[0] ?? '';
    if (this.awaited.get(key)?.take(body)) this.awaited.delete(key);
    return OK;
  }

  private fail(label: string, reason: string): void {
    this.failure ??= `${label} is not created, so the deployment fails: ${reason}`;
    this.left.length = 0;
    this.around.world.note(this.failure);
    this.around.log?.(this.failure);
  }
}

function parse(body: string): JsonObject | undefined {
  try {
    return JSON.parse(body) as JsonObject;
  } catch {
    return undefined;
  }
}

/** "ResourceProperties: [...] its content is defined by the template developer"; CloudFormation makes text of numbers and booleans. */
function toText(value: Json): Json {
  if (Array.isArray(value)) return value.map((member: Json) => toText(member));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toText(member as Json)]));
  return value === null ? '' : String(value);
}
