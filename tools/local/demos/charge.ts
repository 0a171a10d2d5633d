import type { PaymentView } from '../../../lambdas/payments/contract.js';
import type { ApiAnswer } from '../api.js';
import { euros } from '../shop.js';
import { readMoney } from './money.js';
import { inEuros, OPERATOR, type Stage, shortenId } from './stage.js';

const AMOUNT = 100_00;

/** "Charge 100 euros to Bob", asked twice: by one key, with a crash in between, and at a receiver that knows no keys. */
export async function play(stage: Stage): Promise<void> {
  const bob = stage.named('bob');
  const asked = (who: string, key: string) => {
    stage.show(`${who} -> POST /payments ${inEuros(AMOUNT)}   Idempotency-Key: ${key}`);
    return stage.ask<PaymentView>(who, 'POST /payments', { key, body: { accountId: who, amount: euros(AMOUNT) } });
  };
  const shown = (answer: ApiAnswer<PaymentView>) => {
    const { status, body, replayed } = answer;
    const header = replayed ? '   Idempotency-Replayed: true' : '';
    stage.show(body.paymentId ? `${status}  payment ${shortenId(body.paymentId)}${header}` : `${status}  no payment`);
    return answer;
  };

  stage.tell("Bob's client asks, gets no answer in time, and asks again, with the same key:");
  const key = stage.named('charge');
  const { paymentId } = shown(await asked(bob, key)).body;
  shown(await asked(bob, key));
  const first = await stage.logged('payments/request-payment', { paymentId }, 2);
  stage.showLog(first, 'paymentId');
  await charged(stage, bob, [paymentId]);

  stage.tell(
    'Next, the function dies between its write and its answer. The client only sees an error, and asks again:',
  );
  const again = stage.named('bob-again');
  await stage.fault('Payments/RequestPayment', 'killed-after');
  shown(await asked(again, key));
  const { body } = shown(await asked(again, key));
  const second = { paymentId: body.paymentId, message: 'payment requested before' };
  stage.showLog(await stage.logged('payments/request-payment', second), 'paymentId');
  await charged(stage, again, [body.paymentId]);

  stage.tell('Without the pattern: a receiver that takes each request for a new one. Here, each has a key of its own:');
  const twin = stage.named('naive-bob');
  const ids: string[] = [];
  for (const attempt of [1, 2]) ids.push(shown(await asked(twin, stage.named(`attempt-${attempt}`))).body.paymentId);
  await charged(stage, twin, ids);
}

/** Waits until payments are charged, and shows what somebody has paid, by everything that is known of them. */
async function charged(stage: Stage, who: string, paymentIds: readonly string[]): Promise<void> {
  for (const paymentId of paymentIds)
    await stage.until(`payment ${paymentId} CHARGED`, async () => {
      const { status } = await stage.do<PaymentView>(OPERATOR, `GET /payments/${paymentId}`);
      return status === 'CHARGED' || undefined;
    });
  stage.show(await readMoney(stage, who, paymentIds.length));
}
