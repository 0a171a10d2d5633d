import type { Route } from '../route.js';
import { SetStock, StockView } from './contract.js';
import type { InventoryProblem } from './problems.js';

type InventoryRoute = Route<typeof InventoryProblem>;

export const setStock = {
  method: 'PUT',
  path: '/stock/{sku}',
  id: 'setStock',
  summary: 'Set the number of pieces that were counted',
  description: 'Repeatable by nature. Setting the present value writes nothing.',
  roles: ['operator'],
  body: SetStock,
  ifMatch: true,
  answers: { 200: { description: 'The stock', body: StockView } },
  problems: ['stock-reserved'],
} as const satisfies InventoryRoute;

export const getStock = {
  method: 'GET',
  path: '/stock/{sku}',
  id: 'getStock',
  summary: 'Read the stock of a SKU',
  description: 'Strongly consistent.',
  roles: ['operator'],
  answers: { 200: { description: 'The stock', body: StockView } },
  problems: ['not-found'],
} as const satisfies InventoryRoute;
