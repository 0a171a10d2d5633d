/** Message between the rival's services: an envelope of one event on the bus. */
export interface Message {
  readonly id: string;
  readonly type: string;
  readonly orderId: string;
  readonly customerId: string;
  readonly lines: readonly { readonly sku: string; readonly quantity: number; readonly amount: number }[];
  readonly time: string;
  /** By which a state machine that waits is answered. */
  readonly token?: string;
}

/** Steps of an order: the command, who carries it out, and the answer. */
export const STEPS = [
  { command: 'ConfirmPrices', service: 'Catalog', done: 'PricesConfirmed' },
  { command: 'AuthorizeAccount', service: 'Accounts', done: 'AccountAuthorized' },
  { command: 'ReserveStock', service: 'Inventory', done: 'StockReserved' },
  { command: 'ChargePayment', service: 'Payments', done: 'PaymentCharged' },
] as const;

export const totalOf = ({ lines }: Pick<Message, 'lines'>): number =>
  lines.reduce((sum, { quantity, amount }) => sum + quantity * amount, 0);
