import { type Check, violation } from './violation.js';

/** G3, G5: a request that was stored for a lane is decided, visible as failed, or waits in its consumer's queue again. */
export const lanes: Check = (facts) =>
  [...facts.storedAt.keys()].flatMap((record) => {
    const { status } = facts.records.get(record) ?? {};
    // A repeated command is visible by the failure that stands for it.
    if (facts.processed.has(record) || status === 'FAILED' || status === 'REPEATED') return [];
    const id = record.slice(record.indexOf('#') + 1);
    const queues = [...facts.orderly.cloud.queues.values()];
    if (queues.some((queue) => queue.listMessages().some(({ body }) => body.includes(id)))) return [];
    return [violation('a request in a lane is decided, or visible as failed', record, id)];
  });
