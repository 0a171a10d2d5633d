/** Reads a field of JSON by its path: `total.amount`. @returns `undefined` if there is none */
export function readField(json: unknown, path: string): unknown {
  let found: unknown = json;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return found;
}

/** A field as an array. */
export const readArray = (json: unknown, path: string): readonly unknown[] => {
  const found = readField(json, path);
  return Array.isArray(found) ? found : [];
};

/** Formats an amount in the currency's own unit: 350 cents are `3.50 EUR`. */
export function formatMoney(money: unknown): string {
  const { amount, currency } = (money ?? {}) as { readonly amount?: number; readonly currency?: string };
  if (amount === undefined || currency === undefined) return '';
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  return `${(amount / 10 ** maximumFractionDigits).toFixed(maximumFractionDigits)} ${currency}`;
}

/** Makes a word of an option from a constant: `OUT_OF_STOCK` is `out-of-stock`. */
export const toWord = (constant: string): string => constant.toLowerCase().replaceAll('_', '-');
