import { bugsIn, type PlantedBug } from '../bug.js';

const priceCheck = bugsIn('lambdas/catalog/domain/price-check.ts');
const product = bugsIn('lambdas/catalog/domain/product.ts');
const listProducts = bugsIn('lambdas/catalog/list-products.lambda.ts');
const productStore = bugsIn('lambdas/catalog/product-store.ts');

export const CATALOG: readonly PlantedBug[] = [
  priceCheck("an order's prices are compared again for each repeat of the step", 'price-races', {
    from: 'switch (check.status) {',
    to: "switch ('NONE' as PriceCheck['status']) {",
  }),
  priceCheck('an order is refused only if all of its products are discontinued', 'discontinued-races', {
    from: 'if (discontinued.length > 0) {',
    to: 'if (discontinued.length === lines.length) {',
  }),
  priceCheck(
    'an order that was confirmed is refused on a repeat, once its product is discontinued',
    'discontinued-races',
    {
      from: 'switch (check.status) {',
      to: `switch (lines.some(({ sku }) => offers.get(sku)?.discontinued) ? ('NONE' as PriceCheck['status']) : check.status) {`,
    },
  ),
  product('a change of the price of a discontinued product says that it is sold again', 'discontinued-races', {
    from: 'data: { sku, name, unitPrice, ...was, oldUnitPrice }',
    to: 'data: { sku, name, unitPrice, oldUnitPrice }',
  }),
  listProducts('a list of products continues from any place that a cursor names', 'read-one', {
    from: 'query.cursor, Sku)',
    to: 'query.cursor, z.string())',
  }),
  productStore('the catalogue answers without reading whether a product is discontinued', 'discontinued-races', {
    from: "['listSk', 'unitPrice', 'discontinued']",
    to: "['listSk', 'unitPrice']",
  }),
  productStore('a product that is set again stays discontinued', 'discontinued-races', {
    from: '...(discontinued ? { discontinued } : {}),\n      version,',
    to: '...(discontinued || before?.discontinued ? { discontinued: true as const } : {}),\n      version,',
  }),
];
