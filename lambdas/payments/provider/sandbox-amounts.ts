/**
 * Behaviours of the sandbox by amount, as with test cards. An amount (in minor units, of any currency) reads as the
 * HTTP status that it behaves like. The sandbox charges and refunds all other amounts at once.
 */
const BEHAVIOURS = {
  /** The work is done when the sandbox is asked again 10 seconds later. */
  20200: 'answers late',
  /** Charges are made by another payment method of the account than charges of other amounts. */
  30200: 'charges another method',
  /** Charges are declined; refunds are made. */
  40200: 'declines',
  /** Charges are made; refunds are refused. */
  41000: 'gives nothing back',
  /** Charges are made; the first refund is refused, and a later one is made. */
  41001: 'refuses the first refund',
  /** Nothing is done, under any key. */
  50000: 'always fails',
  /** The work is done, but the answer is a failure, and remains one under this key. */
  50001: 'fails after it is done',
  /** Nothing is done under the first key; the work is done under another key. */
  50002: 'fails once',
  /** The work is done, but the first answer never arrives. */
  50400: 'times out',
} as const satisfies Record<number, string>;

export type Behaviour = 'does it' | (typeof BEHAVIOURS)[keyof typeof BEHAVIOURS];

export const findBehaviour = (amount: number): Behaviour =>
  (BEHAVIOURS as Readonly<Record<number, Behaviour>>)[amount] ?? 'does it';
