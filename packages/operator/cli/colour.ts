/** Words of states, by what they mean; each has its colour (ECMA-48: SGR). */
const COLOURS: readonly (readonly [words: RegExp, code: number])[] = [
  [/\b(?:NOT HEALTHY|FAILED(?! AT| {2}PARKED)|STUCK|LOST|TIMEOUT FAILED|REFUND_FAILED)\b|^failed(?=:)/gm, 31],
  [/(?<!NOT )\b(?:HEALTHY|WELL)\b|^complete(?=:)/gm, 32],
  [/\b(?:PENDING|SLOW|TIMER LATE|UNDER_REVIEW)\b(?! {2}IN FLIGHT)|^(?:pending|also)(?=:)/gm, 33],
];

/** Colours the words of states in a text. */
export const colourStates = (text: string): string =>
  COLOURS.reduce((all, [words, code]) => all.replace(words, (word) => `\u001b[${code}m${word}\u001b[0m`), text);

/** Whether output gets colours: on a terminal that knows them, unless somebody wants none (https://no-color.org). */
export const wantsColour = ({ isTTY }: { readonly isTTY?: boolean | undefined }, env = process.env): boolean =>
  isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
