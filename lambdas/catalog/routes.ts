import { Paging, pageSchema } from '@orderly/kit/routes';
import * as z from 'zod/mini';
import type { Route } from '../route.js';
import { ProductView, SetProduct } from './contract.js';

export const setProduct = {
  method: 'PUT',
  path: '/products/{sku}',
  id: 'setProduct',
  summary: 'Set a product',
  description:
    'Repeatable by nature. The body is the whole product: without `discontinued` it is sold. Orders for a discontinued product are rejected.',
  roles: ['operator'],
  body: SetProduct,
  ifMatch: true,
  answers: { 200: { description: 'The product', body: ProductView } },
} as const satisfies Route;

export const getProduct = {
  method: 'GET',
  path: '/products/{sku}',
  id: 'getProduct',
  summary: 'Read a product',
  description: 'Strongly consistent.',
  roles: ['customer', 'operator'],
  answers: { 200: { description: 'The product', body: ProductView } },
  problems: ['not-found'],
} as const satisfies Route;

export const listProducts = {
  method: 'GET',
  path: '/products',
  id: 'listProducts',
  summary: 'List all products',
  description: 'By SKU, upper case before lower; eventually consistent, about a second behind.',
  roles: ['customer', 'operator'],
  query: z.strictObject(Paging),
  answers: { 200: { description: 'A page of products', body: pageSchema(ProductView) } },
} as const satisfies Route;
