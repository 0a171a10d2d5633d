import type { CommandContext } from '../cli/context.js';
import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { alignColumns } from '../cli/text-format.js';
import {
  describeEnding,
  describeSaga,
  describeStep,
  describeStepDetails,
  heldSince,
  isHeld,
  isWaiting,
  stuckSince,
} from './saga-text.js';
import { findSaga, type Saga } from './sagas.js';

type Context = Pick<CommandContext, 'documents' | 'services' | 'command' | 'reportOn' | 'pageOn'>;

/** `sagas show`. @throws {OperatorError} `not-found` */
export async function showSaga(context: Context, { sagaId }: { readonly sagaId: string }): Promise<Outcome> {
  const saga = await findSaga(context.documents, context.services, sagaId);
  const history = saga.events.map((step) => [step.at, step.event.type, describeStepDetails(step)]);
  return {
    exitCode: toExitCode(saga),
    text: [
      alignColumns(renderRows(saga)),
      '',
      'history:',
      alignColumns(history, '  '),
      '',
      ...adviceOn(saga, context),
    ].join('\n'),
    json: {
      saga: {
        ...sagaToJson(saga),
        history: saga.events.map((step) => ({
          at: step.at,
          type: step.event.type,
          details: describeStepDetails(step),
        })),
      },
    },
  };
}

/** Returns the exit code for a saga that waits for an answer, for an operator, or for nothing. */
function toExitCode({ state }: Saga): Exit {
  if (state.status === 'STUCK') return Exit.NEEDS_OPERATOR;
  return isWaiting(state) ? Exit.PENDING : Exit.OK;
}

/** Returns the fields of a saga for scripts; it contains nothing of the saga's data. */
export function sagaToJson(saga: Saga) {
  const { kind, id, state } = saga;
  return {
    service: kind.service.name,
    saga: kind.type,
    id,
    status: state.status,
    ...(isWaiting(state) && { ...state.waiting, toUndo: state.toUndo }),
    ...(isHeld(state) && { held: state.held, heldSince: heldSince(saga) }),
    ...('ending' in state && { ending: state.ending }),
    ...(state.status === 'STUCK' && { stuckSince: stuckSince(saga), reason: state.reason }),
  };
}

function renderRows(saga: Saga): readonly (readonly string[])[] {
  const { kind, id, state } = saga;
  const rows = [
    ['saga', `${kind.service.name}/${kind.type} ${id}`],
    ['status', state.status],
  ];
  if (isHeld(state)) {
    rows.push(['waits for', describeStep(state)], ['since', heldSince(saga)]);
  } else if (isWaiting(state)) {
    const { since, attempt, again } = state.waiting;
    rows.push(['waits for', describeStep(state)], ['since', since], ['attempt', String(attempt)]);
    if (state.status === 'STUCK') rows.push(['stuck', `${stuckSince(saga)}: ${state.reason ?? 'no reason was given'}`]);
    // The saga may give up then instead: resending and giving up have the same timeout.
    else rows.push(['sent again', `${again}, or given up`]);
  }
  if ('ending' in state) rows.push(['ending', describeEnding(state.ending)]);
  if (isWaiting(state) && state.status !== 'RUNNING') {
    rows.push(['to compensate', state.toUndo.toReversed().join(', ') || 'nothing']);
  }
  return rows;
}

/** Returns the next commands to run; a report shows the participants of the saga, if the application has one. */
function adviceOn(saga: Saga, { command, reportOn, pageOn }: Context): readonly string[] {
  const { kind, id, state } = saga;
  const participants = command(...(reportOn?.(`${kind.type}/${id}`) ?? ['failures', 'list']));
  if (!isWaiting(state)) return [`nothing to do here: ${describeSaga(saga)}`];
  if (isHeld(state)) return [`inspect: ${participants}`, 'its service releases it, and nothing else does'];
  const retry = command('sagas', 'retry', id);
  if (state.status !== 'STUCK') return [`inspect: ${participants}`, `send it again now: ${retry}`];
  const page = pageOn?.({ what: 'stuck saga', reason: state.reason });
  return [
    // An application's report on the participants has sent the reader here, so a page goes further.
    `first fix the cause at its participant: ${page ?? participants}`,
    `then send it again: ${retry}`,
    `or, after you have compensated it by hand: ${command('sagas', 'resolve', id, '--note', '<what you did>')}`,
  ];
}
