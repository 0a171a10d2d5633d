import { type Guard, removedBy } from './guard.js';

const KIT = 'test/kit';
const PROCESS_ONCE = 'packages/kit/idempotent-consumer/process-once.ts';
const PERSONAL_KEYS = `${KIT}/personal-data/personal-keys.test.ts`;
const SEQUENTIAL = `${KIT}/inbox/sequential.test.ts`;
const ORCHESTRATOR = `${KIT}/saga/orchestrator.test.ts`;
const SAGA = `${KIT}/saga/saga.test.ts`;
const AUDITOR = 'test/operator/auditor/auditor.test.ts';
const WINDOWS = `${KIT}/aws/dedupe-window.test.ts`;
const CHANGE_ONCE = `${KIT}/idempotent-receiver/change-once.test.ts`;
const NUMBERS = `${KIT}/idempotent-receiver/numbered-session.test.ts`;
const ONCE = `${KIT}/idempotent-consumer/process-once.test.ts`;

/** The important guards of each promise. `npm run prove -- --guards` takes each out, and sees its test fail. */
export const GUARDS: readonly Guard[] = [
  removedBy('a commit replaces what stands there', {
    promise: 'G1',
    guard: 'A commit is written only if none has its version',
    test: {
      file: `${KIT}/event-store/dynamodb-event-store.test.ts`,
      name: 'one of three writers at one version wins, and the others get what is stored',
    },
  }),
  removedBy('entries that the bus refused count as sent', {
    promise: 'G1',
    guard: 'The relay looks at the answer to each entry, and sends again what the bus refused',
    test: { file: `${KIT}/outbox/publish.test.ts`, name: 'says what is unsent when its time is over' },
  }),
  removedBy('the relay reports the last record that it could not send, not the first', {
    promise: 'G1',
    guard: 'A batch of the stream begins again at the first commit that was not sent',
    test: {
      file: `${KIT}/outbox/relay.test.ts`,
      name: 'the batch begins again at the first commit with an event that was not sent, whichever others were',
    },
  }),
  removedBy('a retry treats an unknown result as a failure: it takes its own commit for a stranger', {
    promise: 'G2',
    guard: 'A creation whose answer was lost recognises its own commit',
    test: { file: CHANGE_ONCE, name: 'a creation that the SDK retries is not a replay' },
  }),
  removedBy('a refusal is sent before the record was looked for: the record of a change', {
    promise: 'G2',
    guard: 'A change is refused only after its record was looked for',
    test: {
      file: CHANGE_ONCE,
      name: 'a change under an issued key that is too old is refused at first use, and answered as a repeat',
    },
  }),
  removedBy('a key that comes with another change gets the earlier answer', {
    promise: 'G2',
    guard: 'A key that comes with another request is refused',
    test: { file: CHANGE_ONCE, name: 'a change under the key of another request is refused' },
  }),
  removedBy("a number's answer is written over an earlier one", {
    promise: 'G2',
    guard: 'The record of a numbered request replaces none',
    test: { file: NUMBERS, name: 'a numbered request that is sent ten times at once is carried out once' },
  }),
  removedBy('a session that has moved on is moved back', {
    promise: 'G2',
    guard: 'A session moves forwards only',
    test: {
      file: NUMBERS,
      name: 'a request does not move the session back, whatever comes between its reading and its writing',
    },
  }),
  removedBy('the processed record is written apart from the effect', {
    promise: 'G3',
    guard: 'The record of a message commits in one transaction with its effect',
    test: { file: ONCE, name: 'a message that loses every race goes back to its queue, with nothing written' },
  }),
  removedBy('the processed record replaces an earlier one', {
    promise: 'G3',
    guard: 'The record of a message is written only if there is none',
    test: { file: ONCE, name: 'a message that is delivered ten times at once has its effect once' },
  }),
  {
    promise: 'G3',
    guard: 'A refusal counts only after the record was read: the message may be its own success, seen again',
    file: PROCESS_ONCE,
    from: "if (!recorded && (await records.isProcessed(message))) return 'duplicate';",
    to: '',
    test: {
      file: ONCE,
      name: 'a refused message may be its own success seen again: then it is a duplicate, not a refusal',
    },
  },
  {
    promise: 'G3',
    guard: "In a cancelled transaction, the record's reason outranks every other",
    file: PROCESS_ONCE,
    from: "if (refused?.conditionFailedFor(claim)) return 'duplicate';",
    to: '',
    test: {
      file: ONCE,
      name: 'a message that is delivered again is decided once more: its record outranks a lost race',
    },
  },
  removedBy('the age gate is open', {
    promise: 'G4',
    guard: 'A message that is too old is refused before its handler runs',
    test: {
      file: `${KIT}/idempotent-consumer/repeats.test.ts`,
      name: 'a message that is too old is refused, and nothing is written',
    },
  }),
  removedBy('the age gate takes the window of today', {
    promise: 'G4',
    guard: 'The age gate takes the windows that were in force since the message',
    test: { file: WINDOWS, name: 'stays where it was for messages from before a longer window' },
  }),
  removedBy('the age gate takes the largest window', {
    promise: 'G4',
    guard: 'Of several windows the smallest one counts',
    test: { file: WINDOWS, name: 'closes at once with a shorter window' },
  }),
  {
    promise: 'G4',
    guard: 'The age gate closes a day before a record can expire',
    file: 'packages/kit/aws/dedupe-window.ts',
    from: 'const AGE_MARGIN_SECONDS = 86_400;',
    to: 'const AGE_MARGIN_SECONDS = 0;',
    test: {
      file: `${KIT}/failures/failure-kinds.test.ts`,
      name: 'a message is recognised until a day before its record can expire',
    },
  },
  {
    promise: 'G4',
    guard: 'The record of a message lives for the deduplication window',
    file: PROCESS_ONCE,
    from: 'expiresAt: computeExpiry(this.window, from)',
    to: 'expiresAt: from',
    test: { file: ONCE, name: 'a message has its effect once, with a record that outlives its window' },
  },
  removedBy('failures of a batch are not reported', {
    promise: 'G5',
    guard: 'A message that is not finished goes back to its queue',
    test: {
      file: `${KIT}/idempotent-consumer/contended-keys.test.ts`,
      name: 'no message is started shortly before the timeout',
    },
  }),
  removedBy('failure records expire as processed ones do', {
    promise: 'G5',
    guard: 'A failure record does not expire',
    test: {
      file: `${KIT}/failures/failure-reasons.test.ts`,
      name: 'a failure is recorded once, without values, and does not expire',
    },
  }),
  removedBy('the drain of a failed batch ends after its first record', {
    promise: 'G5',
    guard: 'Each commit of a batch that was given up gets its failure record',
    test: {
      file: `${KIT}/failures/drain-failed-batches.test.ts`,
      name: 'an item that can not be recorded now fails the run after all others were tried',
    },
  }),
  removedBy('the delivery audit says what is missing, and sends nothing', {
    promise: 'G5',
    guard: 'The delivery audit sends again what has no record',
    test: { file: AUDITOR, name: 'sends what is missing to its own consumer only, once, and keeps who did it and why' },
  }),
  removedBy('the delivery audit moves its watermark before it has judged the page', {
    promise: 'G5',
    guard: 'The delivery audit moves its watermark behind what it has judged',
    test: { file: AUDITOR, name: 'a run does not pass a commit behind one that waits, in the same shard' },
  }),
  removedBy('an early message is taken for the next one', {
    promise: 'G6',
    guard: 'A message is processed only if its predecessor is done',
    test: { file: SEQUENTIAL, name: 'early messages are parked, and the sweeper finds them' },
  }),
  removedBy('the cursor moves before the effect', {
    promise: 'G6',
    guard: 'The cursor of a subject moves in the transaction of the effect',
    test: { file: SEQUENTIAL, name: 'leave the cursor where it is if their effect is refused' },
  }),
  removedBy('the cursor moves after the effect', {
    promise: 'G6',
    guard: 'No write of a message follows its transaction, so a crash behind that loses nothing',
    test: { file: SEQUENTIAL, name: 'move the cursor in the transaction of their effect, which is the last write' },
  }),
  removedBy('a failed message is passed over', {
    promise: 'G6',
    guard: 'A failed message holds back its subject',
    test: { file: SEQUENTIAL, name: 'holds back its subject until its redrive, whose effect moves the cursor' },
  }),
  removedBy('the writes of a runner do not check its fencing token', {
    promise: 'G6',
    guard: 'Each write of a runner checks its fencing token',
    test: { file: `${KIT}/inbox/single.test.ts`, name: 'a lost lease lets its runner' },
  }),
  removedBy('the clock is set apart from the commit that needs it', {
    promise: 'G7',
    guard: 'The timeout of a saga commits with the step that it is for',
    test: { file: ORCHESTRATOR, name: 'nothing of the saga is written if a part of it is refused' },
  }),
  removedBy('a decision without events is recorded without the version check', {
    promise: 'G7',
    guard: 'An answer that changes nothing is recorded only if nothing changed meanwhile',
    test: {
      file: ORCHESTRATOR,
      name: 'an answer that changes nothing is not recorded beside a change that it has not seen',
    },
  }),
  removedBy('a step that was sent and not answered is not undone', {
    promise: 'G7',
    guard: 'A step that was given up is compensated, since it may have happened',
    test: { file: SAGA, name: 'a step is given up at its deadline, and undone, since it may have happened' },
  }),
  removedBy('a refused compensation is taken for done', {
    promise: 'G7',
    guard: 'A refused compensation stops the saga where an operator sees it',
    test: { file: SAGA, name: 'a refused compensation leaves the saga stuck at once, with the reason' },
  }),
  removedBy('a stuck saga is counted, and not listed', {
    promise: 'G7',
    guard: 'A saga that is stuck is in the list of stuck ones',
    test: { file: ORCHESTRATOR, name: 'lists a saga for as long as it is stuck, and counts each time that it gets so' },
  }),
  removedBy('a new key replaces what stands in its place, be it a tombstone', {
    promise: 'G8',
    guard: 'A new key is written only if there is neither a key nor a tombstone',
    test: { file: PERSONAL_KEYS, name: 'the tombstone wins if a key is made at the same moment' },
  }),
  removedBy("a key from memory is used without a look at the person's item", {
    promise: 'G8',
    guard: "Each request looks at the person's item, also if the key is in memory",
    test: { file: PERSONAL_KEYS, name: 'no function reads the person from then on, and nothing new is sealed' },
  }),
  removedBy('what a request has seen of a person is kept for the next ones', {
    promise: 'G8',
    guard: 'The next request looks again',
    test: {
      file: PERSONAL_KEYS,
      name: 'a request that has looked before may still read the person, but not the next one',
    },
  }),
];
