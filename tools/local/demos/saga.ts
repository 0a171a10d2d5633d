import type { AccountView } from '../../../lambdas/accounts/contract.js';
import { euros } from '../shop.js';
import { inEuros, OPERATOR, type Stage } from './stage.js';

const PRICE = 350;
const CREDIT = 20_00;

/** One order is approved. Another one is refused at its third step, and the second step is compensated. */
export async function play(stage: Stage): Promise<void> {
  const fay = stage.named('fay');
  const tea = await stage.article('tea', { price: PRICE });
  const mug = await stage.article('mug', { price: PRICE, onHand: 0 });
  await stage.do(OPERATOR, `PUT /accounts/${fay}/credit-limit`, { body: { creditLimit: euros(CREDIT) } });
  const available = async (): Promise<number> => {
    const account = await stage.do<AccountView>(OPERATOR, `GET /accounts/${fay}`);
    return account.available.amount;
  };

  stage.tell('Fay orders tea. The saga sends one command after the other, and waits for each answer:');
  const approved = await stage.place(fay, { sku: tea, price: PRICE });
  await stage.becomes(approved.orderId, 'APPROVED');
  await awaitEnd(stage, approved.orderId, 'SagaCompleted');

  stage.tell('Fay orders a mug. The second step holds her credit; the third one is refused, as no mug is there:');
  const before = await stage.until('the credit of the first order settled', async () =>
    (await available()) === CREDIT ? CREDIT : undefined,
  );
  const refused = await stage.place(fay, { sku: mug, price: PRICE });
  await stage.becomes(refused.orderId, 'REJECTED');
  await awaitEnd(stage, refused.orderId, 'SagaCompensated');
  const after = await available();
  stage.show(`her credit before: ${inEuros(before)}, and now: ${inEuros(after)}`);

  stage.tell('Without the pattern: a service that calls three others in a row, and ends where one refuses.');
  stage.show(`her credit would stay at ${inEuros(before - PRICE)}: held for an order that does not exist`);
}

/** Waits for the end of a saga, and shows its steps as the operator sees them. */
async function awaitEnd(stage: Stage, sagaId: string, end: string): Promise<void> {
  const steps = await stage.until(`${end} of ${sagaId}`, async () => {
    const shown = await stage.orderly('sagas', 'show', sagaId);
    return shown.includes(end) ? shown.split('\n') : undefined;
  });
  const told = steps.filter((line) => /Z +(Saga|Step|Compensation)/.test(line));
  stage.show(`orderly sagas show ${sagaId}`, ...told.map((line) => line.trim()));
}
