import { bugsIn, type PlantedBug } from '../bug.js';

const handleCommand = bugsIn('packages/kit/idempotent-consumer/handle-command.ts');
const consumer = bugsIn('packages/kit/idempotent-consumer/consumer.ts');
const messageLog = bugsIn('packages/kit/idempotent-consumer/message-log.ts');
const processMessage = bugsIn('packages/kit/idempotent-consumer/process-message.ts');
const processOnce = bugsIn('packages/kit/idempotent-consumer/process-once.ts');

export const IDEMPOTENT_CONSUMER: readonly PlantedBug[] = [
  handleCommand('a repeat of a charge under way is recorded without looking whether it ended meanwhile', 'charge-one', {
    from: '[(await decideOn(store, target, ...facts)).write]',
    to: '(({ events, write }) => (events.length > 0 ? [write] : []))(await decideOn(store, target, ...facts))',
    only: /^payments\/on-command$/,
  }),
  consumer('the message is acknowledged before the write', 'place-one', {
    from: 'const outcome = await processMessage(taken, sources, this.records, this.rules);',
    to: `processMessage(taken, sources, this.records, this.rules).catch(() => undefined);
      const outcome = 'applied' as const;`,
  }),
  consumer('failures of a batch are not reported', 'place-one', {
    from: 'return { batchItemFailures: unfinished.map(({ record }) => ({ itemIdentifier: record.messageId })) };',
    to: 'return { batchItemFailures: [] };',
  }),
  consumer('an error is swallowed: what is to be tried again is acknowledged', 'place-one', {
    from: 'await this.postpone(delivery);\n        return false;',
    to: 'await this.postpone(delivery);\n        return true;',
  }),
  consumer(
    'a message that crashes its function takes its whole batch with it, however often it comes',
    'crash-in-a-batch',
    {
      from: 'const CALM_DELIVERIES = 2;',
      to: 'const CALM_DELIVERIES = 99;',
    },
  ),
  messageLog("a consumer's log names whom its message is about", 'account-one', {
    from: 'messageFields(envelope, isAboutPerson(envelope))',
    to: 'messageFields(envelope, false)',
  }),
  processMessage('what is too old is dropped without a word', 'redrive-weeks-later', {
    from: 'if (tooOld && !recorded) throw tooOld;',
    to: "if (tooOld && !recorded) return 'duplicate';",
  }),
  processMessage('the age gate is open', 'redelivery-ttl-at-once', {
    from: 'if (tooOld && !recorded) throw tooOld;',
    to: 'if (tooOld && recorded) throw tooOld;',
  }),
  processOnce('the processed record is written apart from the effect', 'place-one', {
    from: 'await records.transact([claim, ...effect.filter((write) => !isReplacedByClaim(write, claim))]);',
    to: 'await transact([claim]); await transact(effect);',
  }),
  processOnce('the processed record replaces an earlier one', 'place-one', {
    from: 'Item: { ...Key, ...done }, ConditionExpression: isNew }',
    to: 'Item: { ...Key, ...done, ...(isNew ? {} : {}) } }',
  }),
  processOnce(
    'TTL is read as if deletion were prompt: a record that is to lapse after a minute locks its message',
    'place-one',
    {
      from: 'await records.transact([claim, ...effect.filter((write) => !isReplacedByClaim(write, claim))]);',
      to: `const put = claim.Put as { TableName: string; Item: { expiresAt: number } };
      const { expiresAt } = put.Item;
      put.Item.expiresAt = clock.epochSeconds() + 60;
      await transact([claim]);
      await transact([{ Put: { TableName: put.TableName, Item: { ...put.Item, expiresAt } } }, ...effect]);`,
    },
  ),
  processOnce('a redrive is done whatever became of its message', 'consumer-fails-26-hours', {
    from: "const waits = '#status = :before';",
    to: "const waits = '(attribute_exists(pk) OR #status = :before)';",
  }),
  processOnce('processed records are kept for the first window', 'window-raised', {
    from: 'computeExpiry(this.window, from)',
    to: 'from + computeExpiry(this.window, 0)',
  }),
  processOnce('a redrive that fails for a passing reason counts as a duplicate', 'redrive-once', {
    from: 'if (!recorded && (await records.isProcessed(message)))',
    to: 'if (await records.isProcessed(message))',
  }),
  processOnce('the final status is not in the transaction of the effect', 'inbox-single', {
    from: 'await records.transact([claim, ...effect.filter((write) => !isReplacedByClaim(write, claim))]);',
    to: 'if (effect.length > 0) await records.transact(effect);\n        await records.transact([claim]);',
    only: /on-parcel/,
  }),
];
