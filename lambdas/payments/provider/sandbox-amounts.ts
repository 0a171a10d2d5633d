/**
 * What the sandbox does by amount, as test cards do: an amount (in the smallest unit, of any currency) reads as the HTTP
 * status that it behaves like. All others are charged and given back at once.
 */
const BEHAVIOURS = {
  /** Asked again 10 seconds later it is done. */
  20200: 'answers late',
  /** A charge; a refund of so much is made. */
  40200: 'declines',
  /** Charged; whoever wants it back is refused. */
  41000: 'gives nothing back',
  /** Nothing is done, under any key. */
  50000: 'always fails',
  /** Done all the same; the answer is a failure, and stays one under its key. */
  50001: 'fails after it is done',
  /** Nothing is done; under another key it is. */
  50002: 'fails once',
  /** Done, and the first answer never arrives. */
  50400: 'times out',
} as const satisfies Record<number, string>;

export type Behaviour = 'does it' | (typeof BEHAVIOURS)[keyof typeof BEHAVIOURS];

export const behaviourOf = (amount: number): Behaviour =>
  (BEHAVIOURS as Readonly<Record<number, Behaviour>>)[amount] ?? 'does it';
