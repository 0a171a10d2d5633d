import { AppEnv } from './environment.js';

/** An amount in the smallest unit of its currency (ISO 4217). */
interface Amount {
  readonly amount: number;
  readonly currency: string;
}

/**
 * Amounts and currencies that the card provider can charge. Stripe, "Supported currencies" and "Minimum and maximum charge amounts"
 * (docs.stripe.com/currencies). The README of payments shows this table, and what it was compared with. Compare it with the page
 * before you go live, and when Stripe changes it.
 */
export const CHARGE_LIMITS = {
  /** Smallest charge, in the smallest unit. Other currencies have none of their own: see `others`. */
  smallest: {
    AED: 200,
    ARS: 50,
    AUD: 50,
    BRL: 50,
    CAD: 50,
    CHF: 50,
    COP: 50,
    CZK: 1500,
    DKK: 250,
    EUR: 50,
    GBP: 30,
    HKD: 400,
    HUF: 17500,
    IDR: 50,
    ILS: 50,
    INR: 50,
    JPY: 50,
    KRW: 50,
    MXN: 1000,
    MYR: 200,
    NOK: 300,
    NZD: 50,
    PHP: 50,
    PLN: 200,
    RON: 200,
    RUB: 50,
    SEK: 300,
    SGD: 50,
    THB: 1000,
    USD: 50,
    ZAR: 50,
  } as Readonly<Record<string, number>>,
  /**
   * Currencies without a smallest charge of their own: Stripe converts it from the account's settlement currency, by the rate
   * of the day, which is unknown here. Amounts from 1 are accepted here.
   */
  others:
    'AFN ALL AMD ANG AOA AWG AZN BAM BBD BDT BIF BMD BND BOB BSD BWP BYN BZD CDF CLP CNY CRC CVE DJF DOP DZD EGP ETB FJD FKP GEL GIP GMD GNF GTQ GYD HNL HTG JMD KES KGS KHR KMF KYD KZT LAK LBP LKR LRD LSL MAD MDL MKD MMK MNT MOP MUR MVR MWK MZN NAD NGN NIO NPR PAB PEN PGK PKR PYG QAR RSD RWF SAR SBD SCR SHP SLE SOS SRD SZL TJS TOP TRY TTD TWD TZS UAH UYU UZS VND VUV WST XAF XCD XCG XOF XPF YER ZMW'.split(
      ' ',
    ),
  /** Currencies with three decimals: the last digit of a charge is 0. */
  threeDecimals: ['BHD', 'JOD', 'KWD', 'OMR', 'TND'],
  /** Currencies whose unit at Stripe differs from ISO 4217, so that a charge would be another sum. They are never charged. */
  inAnotherUnit: ['ISK', 'MGA', 'UGX'],
  /** Largest charge: eight digits. Stripe accepts twelve in IDR. */
  largest: 99_999_999,
} as const;

/**
 * Returns what would be right if the provider could never charge an amount. An amount of 0 is never charged.
 * @returns `undefined` if the amount can be charged
 */
export function findChargeFault({ amount, currency }: Amount): string | undefined {
  const { smallest, others, threeDecimals, largest } = CHARGE_LIMITS;
  if (amount === 0) return undefined;
  const isThree = (threeDecimals as readonly string[]).includes(currency);
  const own = Object.hasOwn(smallest, currency) ? smallest[currency] : undefined;
  const least = own ?? (isThree ? 10 : others.includes(currency) ? 1 : undefined);
  if (least === undefined) return 'expected a currency that can be charged';
  if (amount < least || amount > largest) return `expected a total of 0, or of ${least} to ${largest} (smallest unit)`;
  return isThree && amount % 10 !== 0 ? `expected a total in ${currency} whose last digit is 0` : undefined;
}

/**
 * Returns why no provider could charge an order with these lines, if this environment refuses such orders: each one would be
 * rejected by its saga, seconds later.
 */
export function findUnchargeable(
  lines: readonly { readonly quantity: number; readonly unitPrice: Amount }[],
): string | undefined {
  const [first] = lines;
  if (first === undefined || process.env[AppEnv.UNCHARGEABLE_ORDERS] !== 'refuse') return undefined;
  const { currency } = first.unitPrice;
  return findChargeFault({
    amount: lines.reduce((sum, line) => sum + line.quantity * line.unitPrice.amount, 0),
    currency,
  });
}
