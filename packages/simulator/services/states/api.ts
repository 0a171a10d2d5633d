import type { Json } from '../../assembly/intrinsics.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { type Operations, paginate, Refused, toSeconds } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';
import type { Execution, HistoryEvent, Outcome } from './execution.js';
import type { StateMachine } from './machine.js';
import type { StateMachines } from './model.js';

const PAGE = 100;

/** Parts of an account that state machines need. */
interface Account {
  readonly machines: StateMachines;
  readonly world: EventLoop;
}

/** State machines, executions and task tokens. AWS Step Functions API Reference, "Actions". */
export function statesApi({ machines, world }: Account): Operations {
  const started = toSeconds(world.begins);
  return {
    StartExecution: ({ stateMachineArn, input, name }) => {
      const { arn, began } = machines.start(String(stateMachineArn), { ...readStart({ input, name }) });
      return { executionArn: arn, startDate: toSeconds(began) };
    },
    StartSyncExecution: ({ stateMachineArn, input, name }) => {
      const machine = findMachine(machines, stateMachineArn);
      if (!machine.isExpress) throw notSupported(machine);
      return new Promise((resolve) => {
        const ended = (execution: Execution): void =>
          resolve({
            ...describe(execution),
            billingDetails: { billedMemoryUsedInMB: 64, billedDurationInMilliseconds: 100 },
          });
        machines.start(machine.resource.arn, { ...readStart({ input, name }), isSync: true, ended });
      });
    },
    DescribeExecution: ({ executionArn }) => describe(findExecution(machines, executionArn)),
    ListExecutions: ({ stateMachineArn, statusFilter, maxResults = PAGE, nextToken }) => {
      const machine = findMachine(machines, stateMachineArn);
      if (machine.isExpress) throw notSupported(machine);
      // The newest first.
      const found = machines.executions
        .filter((one) => one.machine === machine && (statusFilter === undefined || one.status === statusFilter))
        .toReversed();
      const { page, next } = paginate(found, nextToken, Number(maxResults) || PAGE);
      return { executions: page.map(summarize), ...(next !== undefined && { nextToken: next }) };
    },
    GetExecutionHistory: ({ executionArn, reverseOrder = false, maxResults = PAGE, nextToken }) => {
      const events = findExecution(machines, executionArn).events.map(describeEvent);
      const { page, next } = paginate(
        reverseOrder === true ? events.toReversed() : events,
        nextToken,
        Number(maxResults) || PAGE,
      );
      return { events: page, ...(next !== undefined && { nextToken: next }) };
    },
    StopExecution: ({ executionArn, error = '', cause = '' }) => {
      const execution = findExecution(machines, executionArn);
      machines.stop(execution, { error: String(error), cause: String(cause) });
      return { stopDate: toSeconds(execution.ended ?? world.now) };
    },
    SendTaskSuccess: ({ taskToken, output }) =>
      finishTask(machines, taskToken, { output: parseOutput(String(output)) }),
    SendTaskFailure: ({ taskToken, error = '', cause = '' }) =>
      finishTask(machines, taskToken, { error: String(error), cause: String(cause) }),
    SendTaskHeartbeat: ({ taskToken }) => {
      findTask(machines, taskToken).beat();
      return {};
    },
    ListStateMachines: ({ maxResults = PAGE, nextToken }) => {
      const { page, next } = paginate([...machines.machines.values()], nextToken, Number(maxResults) || PAGE);
      return {
        stateMachines: page.map((machine) => ({ ...nameOf(machine), creationDate: started })),
        ...(next !== undefined && { nextToken: next }),
      };
    },
    DescribeStateMachine: ({ stateMachineArn }) => {
      const machine = findMachine(machines, stateMachineArn);
      return {
        ...nameOf(machine),
        status: 'ACTIVE',
        definition: machine.text,
        roleArn: machine.role,
        creationDate: started,
      };
    },
  };
}

const readStart = ({ input, name }: Input) => ({
  ...(input !== undefined && { input: String(input) }),
  ...(name !== undefined && { name: String(name) }),
});

function findMachine({ machines }: StateMachines, arn: unknown): StateMachine {
  const found = machines.get(String(arn));
  if (!found) throw new Refused('StateMachineDoesNotExist', `State Machine Does Not Exist: '${String(arn)}'`);
  return found;
}

const notSupported = ({ resource }: StateMachine): Refused =>
  new Refused(
    'StateMachineTypeNotSupported',
    `This operation is not supported by this type of state machine: '${resource.arn}'`,
  );

/** Express executions have another kind of ARN, and nothing of them is kept. */
function findExecution(machines: StateMachines, arn: unknown): Execution {
  if (!/:execution:/.test(String(arn))) throw new Refused('InvalidArn', `Invalid Arn: '${String(arn)}'`);
  const found = machines.find(String(arn));
  if (!found) throw new Refused('ExecutionDoesNotExist', `Execution Does Not Exist: '${String(arn)}'`);
  return found;
}

/** "SendTaskSuccess": a token of a task that has ended is TaskTimedOut, what is no token InvalidToken. */
function findTask({ tasks, machines }: StateMachines, token: unknown) {
  const found = tasks.find(String(token));
  if (found) return found;
  if (!machines.has(machineOfToken(token) ?? '')) throw new Refused('InvalidToken', 'Invalid token');
  throw new Refused('TaskTimedOut', "Task Timed Out: 'Provided task does not exist anymore'");
}

/** Returns the ARN of the machine whose task waits for a token; `undefined` if it is no token. */
export function machineOfToken(token: unknown): string | undefined {
  try {
    const [arn] = JSON.parse(Buffer.from(String(token), 'base64').toString()) as readonly unknown[];
    return typeof arn === 'string' ? arn : undefined;
  } catch {
    return undefined;
  }
}

function finishTask(machines: StateMachines, token: unknown, outcome: Outcome): object {
  findTask(machines, token).finish(outcome);
  return {};
}

function parseOutput(output: string): Json {
  try {
    return JSON.parse(output) as Json;
  } catch (error) {
    throw new Refused('InvalidOutput', `Invalid Output: '${(error as Error).message}'`);
  }
}

const nameOf = ({ resource, name, isExpress }: StateMachine): object => ({
  stateMachineArn: resource.arn,
  name,
  type: isExpress ? 'EXPRESS' : 'STANDARD',
});

const summarize = ({ arn, name, machine, began, ended, status }: Execution): object => ({
  executionArn: arn,
  stateMachineArn: machine.resource.arn,
  name,
  status,
  startDate: toSeconds(began),
  ...(ended !== undefined && { stopDate: toSeconds(ended) }),
});

const describe = (execution: Execution): object => {
  const { input, outcome } = execution;
  const ending = outcome && 'output' in outcome ? { output: JSON.stringify(outcome.output) } : outcome;
  return { ...summarize(execution), input, ...ending };
};

/** Name of the member in which an event has its details; each type of state has the same. */
const DETAILS = [
  [/StateEntered$/, 'stateEnteredEventDetails'],
  [/StateExited$/, 'stateExitedEventDetails'],
] as const;

function describeEvent({ type, at, details }: HistoryEvent, index: number): object {
  const member =
    DETAILS.find(([form]) => form.test(type))?.[1] ?? `${type.charAt(0).toLowerCase()}${type.slice(1)}EventDetails`;
  return { id: index + 1, previousEventId: index, timestamp: toSeconds(at), type, [member]: details };
}
