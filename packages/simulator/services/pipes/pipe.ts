import type { Resource } from '../../assembly/assembly.js';
import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import type { EventLoop } from '../../engine/event-loop.js';
import type { FaultKind, FaultPlan, InvocationTrouble } from '../../engine/faults.js';
import type { Iam } from '../iam/model.js';
import type { AsyncInvocations } from '../lambda/async-invoke.js';
import type { Consumer, Done } from '../lambda/consumer.js';
import type { InvocationResult, LambdaFunction } from '../lambda/model.js';
import type { StateMachines } from '../states/model.js';
import type { ServiceCall } from '../states/tasks.js';
import type { PipeDefinition, PipeStep } from './definition.js';
import { parseBody, type TemplateVariables } from './input-template.js';
import { failedEntries, toTargetRequest } from './target-request.js';

/** Parts of an account that pipes need. */
export interface PipeAccount {
  readonly world: EventLoop;
  readonly faults: FaultPlan;
  readonly iam: Iam;
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  readonly asynchronous: AsyncInvocations;
  readonly machines: StateMachines;
  readonly call: ServiceCall;
}

/**
 * Faults of one call to a target that isn't invoked like a function. The batch comes again after each of them: pipes deliver at least
 * once. Of targets that take entries, the first one may be refused.
 */
const CALL_FAULTS: readonly FaultKind[] = ['refused', 'answer-lost'];
const BATCH_FAULTS: readonly FaultKind[] = [...CALL_FAULTS, 'entry-refused'];
const FIRST_ENTRY: ReadonlyMap<number, string> = new Map([[0, 'InternalFailure']]);

/** Outcome of one step of a pipe. */
type Outcome = { readonly value: unknown } | Exclude<InvocationResult, { kind: 'returned' }>;

/**
 * A pipe: its poller hands it batches, which pass through the enrichment to the target. Amazon EventBridge User Guide, "Amazon EventBridge
 * Pipes", "Amazon EventBridge Pipes batching and concurrency", "Amazon EventBridge Pipes error handling and troubleshooting".
 */
export class Pipe implements Consumer {
  readonly label: string;
  readonly resource: Resource;
  readonly role: string;
  readonly maxConcurrency = Number.POSITIVE_INFINITY;
  private executions = 0;
  private calls = 0;

  constructor(
    readonly definition: PipeDefinition,
    private readonly around: PipeAccount,
  ) {
    this.resource = definition.resource;
    this.label = definition.resource.label;
    this.role = String(definition.resource.properties.RoleArn);
  }

  get nextInvocation(): string {
    return `${this.label} execution ${this.executions + 1}`;
  }

  /** A pipe logs nothing about single records. */
  onLine(): () => void {
    return () => undefined;
  }

  invoke({ Records }: Parameters<Consumer['invoke']>[0], done: Done, trouble?: InvocationTrouble): void {
    const { enrichment, target } = this.definition;
    const name = this.nextInvocation;
    this.executions++;
    this.around.world.note(`${name} of ${Records.length} records`);
    const ended: Done = (result) => {
      const said = result.kind === 'failed' ? ` ${result.name}: ${result.message}` : '';
      this.around.world.note(`${name} ${result.kind}${said}`);
      done(result);
    };
    const sources = Records.map((record) => flatten(record as JsonObject));
    if (!enrichment) {
      this.deliver(sources, sources, target, ended, trouble);
      return;
    }
    this.run(enrichment, this.shape(enrichment, sources), trouble, (outcome) => {
      if (!('value' in outcome)) ended(outcome);
      else this.deliver(readEnriched(outcome.value), sources, target, ended, undefined);
    });
  }

  private deliver(
    events: readonly Json[],
    sources: readonly JsonObject[],
    target: PipeStep,
    ended: Done,
    trouble: InvocationTrouble | undefined,
  ): void {
    // "Filtering events using enrichments": an empty answer is the end of the batch.
    if (events.length === 0) {
      ended({ kind: 'returned', value: undefined });
      return;
    }
    this.run(
      target,
      this.shape(target, events),
      trouble,
      (outcome) => {
        if (!('value' in outcome)) return ended(outcome);
        const failed = failedEntries(target, outcome.value);
        // Entries of the target are records of the source only if the enrichment made as many.
        const names = failed.map((at) => (events.length === sources.length ? sources[at] : sources[0]));
        const batchItemFailures = names.map((record) => ({ itemIdentifier: record && identify(record) }));
        const value = failed.length > 0 ? { batchItemFailures } : withFailures(outcome.value);
        return ended({ kind: 'returned', value });
      },
      events,
    );
  }

  private shape({ shape }: PipeStep, events: readonly Json[]): readonly Json[] {
    if (!shape) return events;
    const variables = this.variables();
    return events.map((event) => shape(event, variables));
  }

  private variables(): TemplateVariables {
    const { name, source, enrichment, target } = this.definition;
    return {
      'pipe-arn': this.resource.arn,
      'pipe-name': name,
      'source-arn': source,
      'enrichment-arn': enrichment?.arn ?? '',
      'target-arn': target.arn,
      'event.ingestion-time': new Date(this.around.world.now).toISOString(),
    };
  }

  /** @param unshaped the events before their template, to which dynamic parameters refer */
  private run(
    step: PipeStep,
    events: readonly Json[],
    trouble: InvocationTrouble | undefined,
    then: (outcome: Outcome) => void,
    unshaped: readonly Json[] = events,
  ): void {
    const { world, faults } = this.around;
    const { kind } = step;
    if (kind === 'function') {
      this.invokeFunction(step, events, trouble, then);
      return;
    }
    if (kind === 'logs') {
      // People read them.
      world.after(1, () => then({ value: undefined }));
      return;
    }
    const id = `${this.label} call ${++this.calls}`;
    const fault = faults.faultAt({ id, kinds: kind === 'machine' ? CALL_FAULTS : BATCH_FAULTS });
    world.note(`${id}${fault ? ` FAULT ${fault}` : ''}`);
    const answered = (outcome: Outcome): void =>
      then(fault === 'answer-lost' ? failed('Sandbox.Lost', 'the answer was lost') : outcome);
    world.after(
      world.latency((random) => random.between(1, 20)),
      () => {
        if (fault === 'refused') then(failed('ThrottlingException', 'simulated: refused'));
        else if (kind === 'machine') this.start(step, events, answered);
        else answered(this.put(step, events, unshaped, fault === 'entry-refused'));
      },
    );
  }

  private invokeFunction(
    { arn, waits }: PipeStep,
    events: readonly Json[],
    trouble: InvocationTrouble | undefined,
    then: (outcome: Outcome) => void,
  ): void {
    const { world, iam, functions, asynchronous } = this.around;
    const fn = functions.get(arn);
    if (!fn || !iam.roleAllows(this.role, { action: 'lambda:InvokeFunction', resource: arn })) {
      world.after(1, () => then(this.denied('lambda:InvokeFunction', arn)));
      return;
    }
    if (!waits) {
      asynchronous.invokeAsync(arn, events);
      world.after(1, () => then({ value: undefined }));
      return;
    }
    fn.invoke(events, (result) => then(result.kind === 'returned' ? { value: result.value } : result), trouble);
  }

  private start({ arn, waits }: PipeStep, events: readonly Json[], then: (outcome: Outcome) => void): void {
    const { iam, machines } = this.around;
    const action = waits ? 'states:StartSyncExecution' : 'states:StartExecution';
    if (!iam.roleAllows(this.role, { action, resource: arn })) {
      then(this.denied(action, arn));
      return;
    }
    const input = JSON.stringify(events);
    if (!waits) {
      machines.start(arn, { input });
      then({ value: undefined });
      return;
    }
    machines.start(arn, {
      input,
      isSync: true,
      ended: ({ outcome }) => {
        if (outcome && 'output' in outcome) then({ value: outcome.output });
        else then(failed(outcome?.error ?? 'States.Runtime', outcome?.cause ?? ''));
      },
    });
  }

  private put(step: PipeStep, events: readonly Json[], unshaped: readonly Json[], isFirstRefused: boolean): Outcome {
    const request = toTargetRequest(step, events, unshaped.map(parseBody), this.definition);
    const answer = this.around.call({ ...request, ...(isFirstRefused && { refusedEntries: FIRST_ENTRY }) }, this);
    return 'output' in answer ? { value: answer.output } : failed(answer.error.code, answer.error.message);
  }

  private denied(action: string, resource: string): Outcome {
    this.around.world.note(`${this.label} DENIED ${action} on ${resource} for ${this.role}`);
    return failed(
      'AccessDeniedException',
      `the role of the pipe is not authorized to perform ${action} on ${resource}`,
    );
  }
}

const failed = (name: string, message: string): Outcome => ({ kind: 'failed', name, message });

/** A record of a Kinesis stream has its data in a member of its own for functions, and beside the others for pipes. */
function flatten({ kinesis, ...record }: JsonObject): JsonObject {
  return kinesis === undefined ? record : { ...(kinesis as JsonObject), ...record };
}

/** "Partial batch failure": messages have a `messageId`, records of streams an `eventID`. */
const identify = ({ messageId, eventID }: JsonObject): Json => messageId ?? eventID ?? null;

/** "Filtering events using enrichments": an empty text, object or list means that nothing is sent on. */
function readEnriched(value: unknown): readonly Json[] {
  const events = Array.isArray(value) ? (value as readonly Json[]) : [(value ?? '') as Json];
  const isEmpty = (event: Json): boolean => event === '' || JSON.stringify(event) === '{}';
  return events.length === 1 && isEmpty(events[0] as Json) ? [] : events;
}

/** An answer without failures in it is a success, whatever it is. */
const withFailures = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'batchItemFailures' in value ? value : undefined;
