import { type Check, violation } from './violation.js';

/** G5: checks queues, streams, the bus and permissions. */
export const transports: Check = ({ orderly: { cloud } }) => {
  const lines = (pattern: RegExp): readonly string[] => cloud.world.trace.lines.filter((line) => pattern.test(line));
  const expired = [...cloud.queues.values()].flatMap(({ fates }) => fates.filter(({ fate }) => fate === 'expired'));
  return [
    ...lines(/ OVERLAP/).map((line) => violation('a message is handled by one invocation at a time', line)),
    ...lines(/ LOST\b/)
      .filter((line) => !TICK.test(line) && !HINT.test(line))
      .map((line) => violation('no message is lost in transport', line)),
    ...lines(/ DENIED | may not /)
      .slice(0, 3)
      .map((line) => violation('no permission is missing', line)),
    ...lines(/ call \d+ (Validation|Serialization)Exception/)
      .slice(0, 3)
      .map((line) => violation('no call is malformed', line)),
    ...expired.map(({ message }) => violation('no message expires unseen', message.id)),
  ];
};

/** A tick of a sweeper or of the delivery audit, on its way or invoked: it contains no data, and the next one comes. */
const TICK = /\/((Sweeper|Auditor) asynchronous invocation|(EveryMinute|Schedule) delivery \d+) given up/;

/** A record of the stream that an inbox's dispatcher reads: the sweeper hands the same message out. */
const HINT = /Inboxes\/Stream/;
