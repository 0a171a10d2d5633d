import { endpoint, traceOf } from '../../platform/http.js';
import { versionOf } from '../../platform/if-match.js';
import { logger } from '../../platform/telemetry.js';
import { Sku } from '../orders/contract.js';
import { SetProduct } from './contract.js';
import { setProduct } from './product-store.js';

/** PUT /products/{sku}: what is sold, and for how much. Repeatable by nature; a key is not needed. */
export const handler = endpoint({ roles: ['operator'], body: SetProduct }, async (request) => {
  const { body, header, parameter } = request;
  const product = await setProduct(parameter('sku', Sku), body, versionOf(header('if-match')), traceOf(request));
  logger.info('product set', { sku: product.sku, version: product.version });
  return { status: 200, body: product };
});
