import { setTimeout } from 'node:timers/promises';
import { paymentsContract } from '../../../lambdas/payments/contract.js';
import { LocalRunError } from '../../../tools/local/errors.js';
import { showOrder } from '../../../tools/operator/order.js';
import { ContractViolation } from '../messages/contract.js';
import { type Command, readCommandLine } from './command-line.js';
import { discard } from './discard.js';
import { Exit, OperatorError } from './errors.js';
import { exportPerson } from './export.js';
import { listFailures, showFailure } from './failures.js';
import { forget } from './forget.js';
import type { Outcome } from './outcome.js';
import { findKeysOfPeople, openKeys } from './people.js';
import { listProjections, projectionNamed, projectionsOf, showProjection } from './projections.js';
import { rebuild, type Surroundings } from './rebuild.js';
import { documentsAt } from './records.js';
import { redrive } from './redrive.js';
import { commandSaga } from './saga-command.js';
import { listSagas } from './saga-list.js';
import { showSaga } from './saga-show.js';
import { endpointOf, findServices, placeOf } from './services.js';

/** Output streams: results go to `out`, everything else to `err`. */
export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Runs one command line. @returns its exit code (errors.ts) */
export async function run(args: readonly string[], { out, err }: Streams): Promise<Exit> {
  const json = args.includes('--json');
  try {
    const command = readCommandLine(args);
    if (command.name === 'help') {
      out(command.text);
      return Exit.OK;
    }
    const { exitCode, text, json: found } = await carryOut(command, err);
    out(json ? JSON.stringify(found) : text);
    return exitCode;
  } catch (error) {
    const told = explained(error);
    if (json) out(JSON.stringify({ error: { code: told.code, message: told.message, next: told.next } }));
    else err(`${told.message}${told.next === undefined ? '' : `\n${hintOf(told)}${told.next}`}`);
    return told.exitCode;
  }
}

const hintOf = ({ code }: OperatorError): string => (code === 'usage' ? 'As it would be right: ' : 'Next: ');

async function carryOut(command: Exclude<Command, { name: 'help' }>, err: Streams['err']): Promise<Outcome> {
  const { environment, json } = command;
  const endpoint = await endpointOf(environment);
  if (!json) err(`${environment} at ${placeOf(endpoint)}`);
  const services = await findServices(endpoint, environment);
  const documents = documentsAt(endpoint);
  try {
    switch (command.name) {
      case 'order':
        return await showOrder(documents, services, command);
      case 'failures list':
        return await listFailures(documents, services, command.consumer);
      case 'failures show':
        return await showFailure(documents, services, command);
      case 'failures redrive':
        return await redrive(endpoint, documents, services, command);
      case 'failures discard':
        return await discard(documents, services, command);
      case 'sagas list':
        return await listSagas(documents, services, command.limit);
      case 'sagas show':
        return await showSaga(documents, services, command.sagaId);
      case 'sagas retry':
      case 'sagas resolve':
        return await commandSaga(endpoint, documents, services, command);
      case 'projections list':
        return await listProjections(projectionsOf(endpoint, services));
      case 'projections show':
        return await showProjection(projectionNamed(projectionsOf(endpoint, services), command.projection));
      case 'projections rebuild': {
        const projection = projectionNamed(projectionsOf(endpoint, services), command.projection);
        return await stoppable((surroundings) => rebuild(projection, command, surroundings), json ? () => {} : err);
      }
      case 'person forget': {
        const { table } = await findKeysOfPeople(endpoint, environment);
        const payments = services.find(({ name }) => name === paymentsContract.service)?.table;
        return await forget(documents, { table, payments }, command);
      }
      case 'person export': {
        const places = await findKeysOfPeople(endpoint, environment);
        const keys = { places, open: openKeys(places, documents, endpoint) };
        return await exportPerson(documents, services, keys, command.person);
      }
    }
  } finally {
    documents.destroy();
  }
}

/** Stops the work between two steps at the first Ctrl-C; a second one ends the tool as usual. */
async function stoppable<T>(work: (surroundings: Surroundings) => Promise<T>, say: Surroundings['say']): Promise<T> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal);
  const wait = (seconds: number) =>
    setTimeout(seconds * 1000, undefined, { signal: stop.signal }).catch(() => undefined);
  try {
    return await work({ say, wait, stopped: () => stop.signal.aborted });
  } finally {
    process.off('SIGINT', onSignal);
  }
}

/** @throws any error that is a fault of this tool, with its stack */
function explained(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  if (error instanceof LocalRunError) return new OperatorError('unreachable', error.message);
  if (error instanceof ContractViolation) {
    return new OperatorError('refused', `An event is of another release than this tool (${error.message}).`);
  }
  throw error;
}
