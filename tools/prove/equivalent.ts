import type { Survivor } from './record.js';

/** A mutant that changes nothing that a test could see. */
interface Equivalent extends Pick<Survivor, 'file' | 'from' | 'to'> {
  /** Text of the line on which it begins: the same small change may be on other lines, where a test could see it. */
  readonly line: string;
  readonly because: string;
}

/** The known ones, each with the reason. */
export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: 'packages/kit/outbox/relay.lambda.ts',
    line: 'entries[place]?.end?.(bus, outcome)',
    from: 'entries[place]?.end',
    to: 'entries[place].end',
    because: '`publish` returns one outcome for each entry, so that each place has an entry',
  },
  {
    file: 'packages/kit/inbox/runner.ts',
    line: '_envelope: Envelope): Promise<RestoreFacts>',
    from: '{\n    return {};\n  }',
    to: '{}',
    because: 'its only caller spreads the answer, and spreading `undefined` adds nothing',
  },
  {
    file: 'packages/kit/inbox/collected-messages.ts',
    line: 'const next = calendar?.next ??',
    from: "''",
    to: '"Stryker was here!"',
    because: 'it is called with one message at least, so that the default is never used',
  },
  {
    file: 'packages/kit/inbox/sequenced-messages.ts',
    line: "const isHeld = typeof heldUntil === 'string'",
    from: "typeof heldUntil === 'string'",
    to: 'true',
    because: 'a comparison with a missing time is false; the check tells the compiler that it is a text',
  },
  {
    file: 'packages/kit/inbox/sequence-keys.ts',
    line: 'if (epoch === 0 && sequence === 0)',
    from: 'epoch === 0',
    to: 'true',
    because: 'sequences begin at 1, so that no cursor of a later epoch stands at 0',
  },
  {
    file: 'packages/kit/idempotent-receiver/idempotency-key.ts',
    line: "canonicalize(value) ?? ''",
    from: "''",
    to: '"Stryker was here!"',
    because:
      'only a missing value has no canonical form, and none is hashed: a key of `auto` without a body is refused before',
  },
  {
    file: 'packages/kit/inbox/receiver.ts',
    line: 'placeKeyIfSequential(consumer, mode, message)',
    from: '(message) => placeKeyIfSequential(consumer, mode, message)',
    to: '() => undefined',
    because: 'a receiver refuses no message that it can read but commands, which have no place',
  },
  {
    file: 'packages/kit/inbox/work.ts',
    line: 'if (found?.progressId !== id)',
    from: 'found?.progressId',
    to: 'found.progressId',
    because: 'the line before has ended the save of a record that is gone',
  },
];

/** Returns the declared reason why a mutant is equivalent to its source; nothing if a test is missing. */
export const equivalenceOf = (mutant: Pick<Survivor, 'file' | 'source' | 'from' | 'to'>): string | undefined =>
  EQUIVALENT.find(
    ({ file, line, from, to }) =>
      file === mutant.file && from === mutant.from && to === mutant.to && mutant.source?.includes(line),
  )?.because;
