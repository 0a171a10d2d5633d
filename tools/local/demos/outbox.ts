import type { StockView } from '../../../lambdas/inventory/contract.js';
import type { OrderView } from '../../../lambdas/orders/contract.js';
import { OPERATOR, type Stage, shortenId, splitSentences } from './stage.js';

const PRICE = 350;
const RELAY = 'Inventory/Outbox/Relay';
/** More crashes than fit into a demo. It withdraws the rest. */
const CRASHES = 1_000;

/** The relay of one service is down. The delivery audit sends its event again; later, the relay catches up. */
export async function play(stage: Stage): Promise<void> {
  const gus = stage.named('gus');
  const sku = await stage.article('tea', { price: PRICE, customers: [gus] });

  stage.tell(`${RELAY} is down: it crashes whenever it is called. Gus orders tea:`);
  await stage.fault(RELAY, 'crashed', CRASHES);
  const { orderId } = await stage.place(gus, { sku, price: PRICE });
  await stage.until('a crash of the relay', async () => {
    const { faults } = await stage.cloud.status();
    return faults.some(({ owner, left }) => owner === RELAY && left < CRASHES) || undefined;
  });
  const { reserved } = await stage.do<StockView>(OPERATOR, `GET /stock/${sku}`);
  const { status } = await stage.do<OrderView>(OPERATOR, `GET /orders/${orderId}`);
  stage.show(`GET /stock/${sku}  reserved ${reserved}: the commit is there, and its event with it`);
  stage.show(`GET /orders/${shortenId(orderId)}  ${status}: nobody has heard of it`);

  stage.tell(
    'The delivery audit compares the commits with what became of them. It runs every five minutes; here, by hand:',
  );
  const audit = ['audit', '--order', orderId, '--grace', '1s'] as const;
  const missing = await stage.until('a missing StockReserved in the audit', async () => {
    const found = await stage.orderly(...audit);
    return found.includes('StockReserved') ? found : undefined;
  });
  showAudit(stage, audit, missing);

  stage.tell('It sends again what is missing, and the order ends, while the relay is still down:');
  const resend = [...audit, '--resend'];
  showAudit(stage, resend, await stage.orderly(...resend));
  const order = await stage.becomes(orderId, 'APPROVED');
  stage.show(`GET /orders/${shortenId(orderId)}  ${order.status}`);

  stage.tell('The relay is mended. It continues where it was, and its late copy is a duplicate:');
  await stage.repair();
  const heard = await stage.heard('orders-saga', { eventType: 'StockReserved', subject: `Reservation/${orderId}` }, 2);
  stage.showLog(heard, 'eventType', 'eventId');
  showAudit(stage, ['audit', '--order', orderId], await stage.orderly('audit', '--order', orderId));

  stage.tell('Without the pattern: a service that writes, and then publishes.');
  stage.show('The event is lost with the crash in between: a piece stays reserved, and the order waits for ever.');
}

/** Shows a command and its verdict. */
function showAudit(stage: Stage, words: readonly string[], printed: string): void {
  const verdict = splitSentences(printed).filter(
    (line) => /missing|twice|StockReserved/i.test(line) && !/^ |npm run/.test(line),
  );
  stage.show(`orderly ${words.join(' ')}`, ...verdict);
}
