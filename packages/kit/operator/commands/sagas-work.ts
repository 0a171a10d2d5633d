import type { CommandContext } from '../context.js';
import { interruptible } from '../interruptible.js';
import type { Outcome } from '../outcome.js';
import { commandSaga, type SagaRequest } from '../saga-command.js';
import { commandSagaGroup, type SagaGroupRequest } from '../saga-group-command.js';
import { sending } from '../send.js';

/** Work of `sagas retry` and `sagas resolve`, for one saga or a group. */
export const commandOneOrAll = (context: CommandContext, request: SagaRequest | SagaGroupRequest): Promise<Outcome> =>
  'group' in request
    ? interruptible((interruption) =>
        sending(context.endpoint, (send) => commandSagaGroup({ ...context, ...interruption, send }, request)),
      )
    : commandSaga(context, request);
