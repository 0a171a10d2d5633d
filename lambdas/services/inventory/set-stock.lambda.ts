import { Problem } from '../../platform/errors.js';
import { endpoint, traceOf } from '../../platform/http.js';
import { logger } from '../../platform/telemetry.js';
import { SetStock } from './contract.js';
import { setStock, skuOf } from './stock-store.js';

/** PUT /stock/{sku}: how many pieces there are, as an operator counted them. Repeatable by nature; a key is not needed. */
export const handler = endpoint({ roles: ['operator'], body: SetStock }, async (request) => {
  const { body, header, parameter } = request;
  const stock = await setStock(skuOf(parameter('sku')), body.onHand, versionOf(header('if-match')), traceOf(request));
  logger.info('stock set', { sku: stock.sku, version: stock.version });
  return { status: 200, body: stock };
});

/** `If-Match: 3`, also as an entity tag (`"3"`); 0 is a stock that was never set. */
function versionOf(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined) return undefined;
  const [, version] = /^"?(\d{1,9})"?$/.exec(ifMatch) ?? [];
  if (version !== undefined) return Number(version);
  const errors = [{ header: 'If-Match', detail: 'expected the version of the stock, such as 3' }];
  throw new Problem('invalid-request', 'If-Match has another form', { errors });
}
