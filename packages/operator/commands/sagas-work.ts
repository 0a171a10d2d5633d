import type { CommandContext } from '../cli/context.js';
import { interruptible } from '../cli/interruptible.js';
import type { Outcome } from '../cli/outcome.js';
import { sending } from '../records/send.js';
import { commandSaga, type SagaRequest } from '../sagas/saga-command.js';
import { commandSagaGroup, type SagaGroupRequest } from '../sagas/saga-group-command.js';

/** Work of `sagas retry` and `sagas resolve`, for one saga or a group. */
export const commandOneOrAll = (context: CommandContext, request: SagaRequest | SagaGroupRequest): Promise<Outcome> =>
  'group' in request
    ? interruptible((interruption) =>
        sending(context.endpoint, (send) => commandSagaGroup({ ...context, ...interruption, send }, request)),
      )
    : commandSaga(context, request);
