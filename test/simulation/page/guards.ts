import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OfferedGuard } from '../../../packages/console/server/histories-contract.js';
import { ROOT } from '../../support/simulation/app-code.js';
import type { PlantedBug } from '../planted/bug.js';
import { IDEMPOTENT_CONSUMER } from '../planted/bugs/idempotent-consumer.js';
import { OUTBOX } from '../planted/bugs/outbox.js';
import { PAYMENTS } from '../planted/bugs/payments.js';

/** A guard that the page offers to remove, and the planted bug that removes it. */
export interface RemovableGuard extends OfferedGuard {
  readonly bug: PlantedBug;
}

/** Guards of a payment's histories: without each, some of the first few dozen histories break a promise. */
export const GUARDS: readonly RemovableGuard[] = [
  guard('processed-record', 'Conditional put of the processed record', {
    promise: 'A message is recorded as processed once, so its effect happens once.',
    bug: named(IDEMPOTENT_CONSUMER, 'the processed record replaces an earlier one'),
  }),
  guard('bus-entry', "Check of the bus's answer for each entry", {
    promise: 'A commit is published, or visible as failed.',
    bug: named(OUTBOX, 'entries that the bus refused count as sent'),
  }),
  guard('provider-key', 'Idempotency key at the payment provider', {
    promise: 'A refund is made once, and refunds never exceed the charge.',
    bug: named(PAYMENTS, "the provider's key is made of the attempt, not of the business id"),
  }),
];

/** @throws {Error} if there is no such guard */
export function findGuard(id: string): RemovableGuard {
  const found = GUARDS.find((one) => one.id === id);
  if (!found) throw new Error(`there is no guard '${id}': ${GUARDS.map((one) => one.id).join(', ')}`);
  return found;
}

function named(bugs: readonly PlantedBug[], name: string): PlantedBug {
  const found = bugs.find((bug) => bug.name === name);
  if (!found) throw new Error(`there is no planted bug '${name}'`);
  return found;
}

/** @throws {Error} if the text that the bug replaces isn't in its file */
function guard(id: string, label: string, { promise, bug }: Pick<RemovableGuard, 'promise' | 'bug'>): RemovableGuard {
  const { file = '', from = '' } = bug.source ?? {};
  const text = readFileSync(join(ROOT, file), 'utf8');
  const at = typeof from === 'string' ? text.indexOf(from) : text.search(from);
  if (at < 0) throw new Error(`${file} has no: ${from}`);
  return { id, label, promise, bug, file, line: text.slice(0, at).split('\n').length };
}
