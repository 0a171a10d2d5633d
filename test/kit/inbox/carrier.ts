import { request } from 'node:https';

/** Host of the carrier's API. */
export const CARRIER = 'carrier.example';
const PATIENCE = 5_000;

interface Asked {
  /** Idempotency key: the carrier answers one key with one label. */
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Client of a carrier. */
export const carrier = {
  /** Prints the label of an order. @returns its number. @throws if the carrier does not answer, or says that it is out of order */
  print: (orderId: string, { key, signal }: Asked): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': key };
      const asked = request({ host: CARRIER, path: '/labels', method: 'POST', headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          if (answer.statusCode === 200) resolve(Buffer.concat(chunks).toString('utf8'));
          else reject(new Error(`the carrier answered ${answer.statusCode}`));
        });
      });
      const abort = () => asked.destroy(new Error('the lease is lost'));
      signal.addEventListener('abort', abort, { once: true });
      asked.setTimeout(PATIENCE, () => asked.destroy(new Error('the carrier did not answer')));
      asked.on('error', reject);
      asked.end(JSON.stringify({ orderId }));
    }),
};
