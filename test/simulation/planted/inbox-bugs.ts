import type { PlantedBug } from './bugs.js';

const INBOX = 'packages/kit/inbox';
/** The example of its README, which `inbox-collecting` plays. */
const COLLECTING = 'test/kit/inbox/example.collecting.ts';
const COLLECTOR = 'test/kit/inbox/example.collector.ts';

/** Small mistakes that a good engineer makes, put into the inbox on purpose. Their scenarios are those of `inboxes/`. */
export const INBOX_BUGS: readonly PlantedBug[] = [
  {
    name: 'the writes of a runner do not check its fencing token',
    scenario: 'inbox-frozen',
    source: {
      file: `${INBOX}/stored-messages.ts`,
      from: "condition: '#status = :pending AND fence = :fence'",
      to: "condition: '#status = :pending AND fence >= :fence'",
    },
  },
  {
    name: 'a reason and a log line have the text of any error',
    scenario: 'inbox-single',
    source: {
      file: 'packages/kit/aws/failure-texts.ts',
      from: "if (process.env[Env.FAILURE_TEXTS] === 'full')",
      to: 'if (true)',
    },
  },
  {
    name: 'the text of what JSON.parse quotes is recognised, and shown as it is',
    scenario: 'inbox-single',
    source: {
      file: 'packages/kit/aws/known-texts.ts',
      from: 'if (beginning !== undefined) return beginning;',
      to: 'if (beginning !== undefined) return message;',
    },
  },
  {
    name: 'progress is saved after its writes, in another transaction',
    scenario: 'inbox-single',
    source: {
      file: `${INBOX}/work.ts`,
      from: 'await transact([saving, ...writes]);',
      to: 'if (writes.length > 0) await transact(writes);\n          await transact([saving]);',
    },
  },
  {
    name: 'the final status is not in the transaction of the effect',
    scenario: 'inbox-single',
    source: {
      file: 'packages/kit/idempotent-consumer/process-once.ts',
      from: 'await records.transact([claim, ...effect.filter((write) => !clears(write, claim))]);',
      to: 'if (effect.length > 0) await records.transact(effect);\n        await records.transact([claim]);',
      only: /on-parcel/,
    },
  },
  {
    name: 'a lease is not renewed',
    scenario: 'inbox-single',
    source: {
      file: `${INBOX}/work.ts`,
      from: '    this.renewLater();\n  }\n\n  get attempt',
      to: '  }\n\n  get attempt',
    },
  },
  {
    name: 'a message that is not handed out by the stream is found by nobody',
    scenario: 'inbox-single',
    source: {
      file: `${INBOX}/stored-messages.ts`,
      from: '...this.waiting(this.keyOf(message), after(now, GRACE_SECONDS)),',
      to: '',
    },
  },
  {
    name: 'a message that is put off is handed out by its queue alone',
    scenario: 'inbox-single',
    source: {
      file: `${INBOX}/stored-messages.ts`,
      from: "      remove: ['runner'],\n",
      to: "      remove: ['runner', 'duePk'],\n",
    },
  },
  {
    name: 'a known message is stored again',
    scenario: 'inbox-single',
    source: {
      file: 'packages/kit/aws/dynamodb.ts',
      from: "        ConditionExpression: 'attribute_not_exists(pk)',\n",
      to: '',
      only: /inbox\/receive/,
    },
  },
  {
    name: 'the cursor moves before the effect',
    scenario: 'inbox-sequential',
    source: {
      file: `${INBOX}/sequential-runner.ts`,
      from: 'this.messages.cursorWrite(envelope, before),',
      to: '...(await this.messages.pass(envelope, before).then(() => [])),',
    },
  },
  {
    name: 'the cursor moves after the effect',
    scenario: 'inbox-sequential',
    source: {
      file: `${INBOX}/sequential-runner.ts`,
      from: /return super\.commit\(envelope, taken, async[\s\S]*?\]\);/,
      to: 'return super.commit(envelope, taken, decide).then(async (done) => { await this.messages.pass(envelope, before); return done; });',
    },
  },
  {
    name: 'an early message is taken for the next one',
    scenario: 'inbox-sequential',
    source: {
      file: `${INBOX}/sequential-runner.ts`,
      from: 'if (isNext(place, cursor)) break;',
      to: 'if (isNext(place, cursor) || place.sequence === cursor.sequence + 2) break;',
    },
  },
  {
    name: 'a failed message is passed over',
    scenario: 'inbox-sequential',
    source: {
      file: `${INBOX}/sequential-runner.ts`,
      from: "awaited?.status === 'DISCARDED' &&",
      to: "(awaited?.status === 'DISCARDED' || awaited?.status === 'FAILED') &&",
    },
  },
  {
    name: 'a parked message is not pending any more',
    scenario: 'inbox-sequential',
    source: {
      file: `${INBOX}/sequenced-messages.ts`,
      from: 'set: { parkedAt,',
      to: "set: { status: 'PARKED', parkedAt,",
    },
  },
  {
    name: 'a window is resumed one page late',
    scenario: 'inbox-batch',
    source: {
      file: `${INBOX}/batch-runner.ts`,
      from: 'let page = window.done + 1;',
      to: 'let page = window.done + (window.done > 0 ? 2 : 1);',
    },
  },
  {
    name: 'a message that is late is not told so',
    scenario: 'inbox-batch',
    source: { file: `${INBOX}/collected-messages.ts`, from: '...(window === own ? {} : { lateFrom: own })', to: '' },
  },
  {
    name: 'a page is done again whose progress was not written with its effect',
    scenario: 'inbox-batch',
    source: {
      file: `${INBOX}/collected-messages.ts`,
      from: 'set: { done: page, attempts: 1,',
      to: 'set: { attempts: 1,',
    },
  },
  {
    name: 'the final status of messages is not in the transaction of their page',
    scenario: 'inbox-batch',
    source: { file: `${INBOX}/batch-runner.ts`, from: '      ...writes,\n', to: '' },
  },
  {
    name: 'a window is closed twice, since its effect commits before its final status',
    scenario: 'inbox-batch',
    source: {
      file: `${INBOX}/batch-runner.ts`,
      from: "window, pages }, 'close'), work);\n",
      to: `window, pages }, 'close'), work);
      if ('decide' in handling) {
        await work.save({}, await handling.decide());
        return { handling: { decide: async () => [] }, writes: [], claim: () => this.messages.processedWrite(held, this.expiry()) };
      }
`,
    },
  },
  {
    name: 'a window closes although a message got its place since its size was read',
    scenario: 'inbox-batch',
    source: {
      file: `${INBOX}/collected-messages.ts`,
      from: `          condition: \`\${held.condition} AND #size = :size AND attribute_not_exists(closedAt)\`,
          names: { ...held.names, '#size': 'size' },
          values: { ...held.values, ':size': window.size },`,
      to: `          condition: \`\${held.condition} AND attribute_not_exists(closedAt)\`,
          names: held.names,
          values: held.values,`,
    },
  },
  {
    name: 'a part that comes again begins the work again',
    scenario: 'inbox-collecting',
    source: { file: COLLECTING, from: '    if (hasBegun) return [];\n', to: '' },
  },
  {
    name: 'nobody waits for an end of the waiting',
    scenario: 'inbox-collecting',
    source: {
      file: COLLECTOR,
      from: 'return [write, timers.set({ ...timeout, executeAt: in30Minutes(), trace })];',
      to: 'return timeout ? [write] : [timers.set({ ...timeout, executeAt: in30Minutes(), trace })];',
    },
  },
  {
    name: 'the work begins with the part that completes it, and without the others',
    scenario: 'inbox-collecting',
    source: {
      file: COLLECTING,
      from: '(PARTS.every((name) => name in known) ? [begins(known)] : [])',
      to: '(PARTS.every((name) => name in known) ? [begins({ [part]: content })] : [])',
    },
  },
  {
    name: 'each attempt calls the other system with a key of its own',
    scenario: 'inbox-collecting',
    source: {
      file: 'test/kit/inbox/example.collected.ts',
      from: "work.idempotencyKey('label')",
      to: "work.idempotencyKey(['label', work.attempt].join())",
    },
  },
  {
    name: 'an idempotency key is of the attempt, not of the message',
    scenario: 'inbox-collecting',
    source: {
      file: `${INBOX}/work.ts`,
      from: 'JSON.stringify([this.taken.messageId, call])',
      to: 'JSON.stringify([this.taken.fence, this.taken.messageId, call])',
    },
  },
];
