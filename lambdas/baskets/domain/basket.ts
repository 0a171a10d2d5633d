import type { Decider } from '@orderly/kit/decider';
import { MAX_FREE_QUANTITY, type Money } from '../../orders/contract.js';
import { type BasketEvent, type BasketView, MAX_LINES } from '../contract.js';
import { isSamePrice, type Product } from './product.js';

/** A line of a basket. */
export interface Line {
  readonly sku: string;
  readonly quantity: number;
  readonly unitPrice: Money;
  /** Price that the customer has seen; present if `unitPrice` is another one. */
  readonly oldUnitPrice?: Money;
  /** Version of the product that `unitPrice` is from. An older event of the product changes nothing any more. */
  readonly productVersion: number;
  /** Order that this line is becoming. A change of the quantity removes it. */
  readonly checkedOut?: string;
}

/** A customer's basket; the lines are in the order in which they were added. */
export interface Basket {
  readonly lines: readonly Line[];
}

export type BasketCommand = { readonly customerId: string } & (
  | { readonly type: 'SetItem'; readonly sku: string; readonly quantity: number }
  | { readonly type: 'RemoveItem'; readonly sku: string }
  /** Changes nothing but prices that have changed. */
  | { readonly type: 'Look' }
  | { readonly type: 'See' }
  /** The price of a product in the facts has changed. */
  | { readonly type: 'ChangePrice'; readonly sku: string }
  | { readonly type: 'CheckOut'; readonly orderId: string }
  | { readonly type: 'Empty'; readonly orderId: string }
);

/** Inputs of a decision besides state, command and time. */
export interface Facts {
  /** The product of each known SKU. */
  readonly products: ReadonlyMap<string, Product>;
}

/** A command that a business rule forbids. Nothing was changed; asking again gives the same answer. */
export class BasketRefused extends Error {
  override readonly name = 'BasketRefused';
  constructor(readonly code: 'UNKNOWN_PRODUCT' | 'PRODUCT_DISCONTINUED' | 'BASKET_FULL' | 'TOO_MANY_FREE_PIECES') {
    super(code);
  }
}

export const initialState: Basket = { lines: [] };

/**
 * Returns the events that follow from a command; none if nothing changes. Whatever the command is, newer prices of the
 * facts' products follow it. So no answer shows a price older than the facts.
 * @throws {BasketRefused} if a business rule forbids it
 */
function decide(basket: Basket, command: BasketCommand, { products }: Facts): readonly BasketEvent[] {
  const events = decideCommand(basket, command, products);
  return [...events, ...findPriceChanges(events.reduce(evolve, basket), command.customerId, products)];
}

function decideCommand({ lines }: Basket, command: BasketCommand, products: Facts['products']): readonly BasketEvent[] {
  const { customerId } = command;
  switch (command.type) {
    case 'SetItem':
      return setItem(lines, command, products);
    case 'RemoveItem': {
      const { sku } = command;
      return findLine(lines, sku) ? [{ type: 'BasketItemRemoved', data: { customerId, sku } }] : [];
    }
    case 'Look':
      return [];
    case 'See':
      return lines.some(({ oldUnitPrice }) => oldUnitPrice) ? [{ type: 'BasketSeen', data: { customerId } }] : [];
    case 'ChangePrice': {
      const [line, product] = [findLine(lines, command.sku), products.get(command.sku)];
      return line && product && product.version > line.productVersion ? [toPriceChange(line, customerId, product)] : [];
    }
    case 'CheckOut': {
      const skus = selectOrderable(lines).map(({ sku }) => sku);
      return [{ type: 'BasketCheckedOut', data: { customerId, orderId: command.orderId, skus } }];
    }
    case 'Empty': {
      const { orderId } = command;
      const skus = lines.filter(({ checkedOut }) => checkedOut === orderId).map(({ sku }) => sku);
      return skus.length > 0 ? [{ type: 'BasketEmptied', data: { customerId, orderId, skus } }] : [];
    }
  }
}

function setItem(
  lines: readonly Line[],
  { customerId, sku, quantity }: Extract<BasketCommand, { type: 'SetItem' }>,
  products: Facts['products'],
): readonly BasketEvent[] {
  const product = products.get(sku);
  if (!product) throw new BasketRefused('UNKNOWN_PRODUCT');
  if (product.discontinued) throw new BasketRefused('PRODUCT_DISCONTINUED');
  if (product.unitPrice.amount === 0 && quantity > MAX_FREE_QUANTITY) throw new BasketRefused('TOO_MANY_FREE_PIECES');
  const line = findLine(lines, sku);
  if (line?.quantity === quantity) return [];
  if (!line && lines.length >= MAX_LINES) throw new BasketRefused('BASKET_FULL');
  // The price of an existing line changes by an event of its own, which keeps the price that the customer has seen.
  const { unitPrice, productVersion } = line ?? { unitPrice: product.unitPrice, productVersion: product.version };
  return [{ type: 'BasketItemSet', data: { customerId, sku, quantity, unitPrice, productVersion } }];
}

const findPriceChanges = ({ lines }: Basket, customerId: string, products: Facts['products']): readonly BasketEvent[] =>
  lines.flatMap((line) => {
    const product = products.get(line.sku);
    const isNewer = product && product.version > line.productVersion && !isSamePrice(product.unitPrice, line.unitPrice);
    return isNewer ? [toPriceChange(line, customerId, product)] : [];
  });

function toPriceChange(
  { sku, ...line }: Line,
  customerId: string,
  { unitPrice, version: productVersion }: Product,
): BasketEvent {
  const seen = line.oldUnitPrice ?? line.unitPrice;
  const old = isSamePrice(seen, unitPrice) ? {} : { oldUnitPrice: seen };
  return { type: 'BasketPriceChanged', data: { customerId, sku, unitPrice, ...old, productVersion } };
}

/** Folds an event into a state. It is total: it accepts any event in any state. */
export function evolve(basket: Basket, { type, data }: BasketEvent): Basket {
  const { lines } = basket;
  switch (type) {
    case 'BasketItemSet': {
      const { customerId: _, ...set } = data;
      if (!findLine(lines, set.sku)) return { lines: [...lines, set] };
      return changeLines(basket, [set.sku], ({ checkedOut: _, ...line }) => ({ ...line, quantity: set.quantity }));
    }
    case 'BasketItemRemoved':
      return { lines: lines.filter(({ sku }) => sku !== data.sku) };
    case 'BasketPriceChanged': {
      const { customerId: _, ...price } = data;
      return changeLines(basket, [price.sku], ({ oldUnitPrice: _, ...line }) => ({ ...line, ...price }));
    }
    case 'BasketSeen':
      return { lines: lines.map(({ oldUnitPrice: _, ...line }) => line) };
    case 'BasketCheckedOut':
      return changeLines(basket, data.skus, (line) => ({ ...line, checkedOut: data.orderId }));
    case 'BasketEmptied':
      return {
        lines: lines.filter(({ sku, checkedOut }) => !(checkedOut === data.orderId && data.skus.includes(sku))),
      };
  }
}

const changeLines = ({ lines }: Basket, skus: readonly string[], change: (line: Line) => Line): Basket => ({
  lines: lines.map((line) => (skus.includes(line.sku) ? change(line) : line)),
});

const findLine = (lines: readonly Line[], sku: string): Line | undefined => lines.find((line) => line.sku === sku);

/** Returns the lines that a checkout orders: those that no earlier checkout is ordering. */
export const selectOrderable = (lines: readonly Line[]): readonly Line[] =>
  lines.filter(({ checkedOut }) => checkedOut === undefined);

/** Rules of a basket. */
export const basketDecider: Decider<Basket, BasketCommand, BasketEvent, Facts> = {
  initialState,
  evolve,
  decide,
  stateSchema: 1,
};

/** Returns the basket as the API shows it. */
export const toView = ({ lines }: Basket, version: number): BasketView => ({
  lines: lines.map(({ sku, quantity, unitPrice, oldUnitPrice }) => ({
    sku,
    quantity,
    unitPrice: copyMoney(unitPrice),
    ...(oldUnitPrice ? { oldUnitPrice: copyMoney(oldUnitPrice) } : {}),
  })),
  version,
});

/** A table returns the members of a map in any order. */
const copyMoney = ({ amount, currency }: Money): Money => ({ amount, currency });
