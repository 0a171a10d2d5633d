// ISO 4217, list one (2024-06-25), column "minor unit". Every other currency has two digits.

/** Currencies whose smallest unit is the full unit, and codes without a minor unit (gold, test codes). */
const NO_DIGITS =
  'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XAG XAU XBA XBB XBC XBD XDR XOF XPD XPF XPT XSU XTS XUA XXX';
const THREE_DIGITS = 'BHD IQD JOD KWD LYD OMR TND';
const FOUR_DIGITS = 'CLF UYW';

const DIGITS: ReadonlyMap<string, number> = new Map([
  ...NO_DIGITS.split(' ').map((code) => [code, 0] as const),
  ...THREE_DIGITS.split(' ').map((code) => [code, 3] as const),
  ...FOUR_DIGITS.split(' ').map((code) => [code, 4] as const),
]);

/**
 * Returns the number of full units in an amount, without the fraction.
 * @param amount integer in the currency's smallest unit, at least 0
 */
export const toFullUnits = (amount: number, currency: string): number => Math.floor(amount / unitOf(currency));

/** Returns the amount of some full units, in the currency's smallest unit. */
export const toAmount = (units: number, currency: string): number => units * unitOf(currency);

const unitOf = (currency: string): number => 10 ** (DIGITS.get(currency) ?? 2);
