import { NoAnswer, OrderlyProblem, orderlyClient } from '@orderly/client';
import { count, logger, logOutcome, publishMetrics, recordSeconds, requireEnv, SafeError } from '@orderly/kit/aws';
import { NoToken, requestToken } from '../client-credentials.js';
import { type SyntheticOrderSource, SyntheticOrdersEnv } from './environment.js';
import { KeptToken } from './kept-token.js';
import { SyntheticOrdersMetric } from './metrics.js';
import { playSyntheticOrder } from './play-order.js';
import { readSecret } from './secret.js';

const source = JSON.parse(requireEnv(SyntheticOrdersEnv.SYNTHETIC_ORDER)) as SyntheticOrderSource;
const baseUrl = requireEnv(SyntheticOrdersEnv.API_URL);

/** Milliseconds for a token. */
const TOKEN_TIMEOUT_MS = 10_000;
/** Three attempts at a request take 40 seconds at most, so that a run has the time for its cancellation. */
const ATTEMPTS = { attempts: 3, timeout: 10_000, longestWait: 5_000 } as const;

const token = new KeptToken(async () => {
  const { tokenUrl: url, secretParameter, ...of } = source;
  const clientSecret = await readSecret(secretParameter);
  return requestToken({ ...of, url, clientSecret }, { signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS) });
});

/** Places one synthetic order, and counts how it went. A run that fails ends without an error: nothing would be better at once. */
export const handler = async ({ time: tick }: { readonly time: string }): Promise<void> => {
  try {
    const client = orderlyClient({ baseUrl, token: await token.get(), ...ATTEMPTS });
    const { seconds, leftovers } = await playSyntheticOrder({ ...source, client, tick, wait: pause });
    if (leftovers.length > 0) logger.warn('synthetic orders of earlier runs cancelled', { orders: leftovers });
    if (seconds !== undefined) {
      count(SyntheticOrdersMetric.SUCCEEDED);
      recordSeconds(SyntheticOrdersMetric.DECISION_SECONDS, seconds);
    }
    logOutcome('synthetic order played', { tick, seconds });
  } catch (error) {
    token.forget();
    count(SyntheticOrdersMetric.FAILED);
    logger.error('synthetic order failed', { tick, ...describeFailure(error) });
  }
  publishMetrics();
};

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Describes a failure for the log: which step, and what it got in the place of its answer. */
function describeFailure(error: unknown): Readonly<Record<string, unknown>> {
  if (error instanceof OrderlyProblem) {
    const { operation, code, status, correlationId } = error;
    return { operation, code, status, correlationId };
  }
  if (error instanceof NoAnswer) return { operation: error.operation, name: error.name, status: error.status };
  const isShown = error instanceof SafeError || error instanceof NoToken;
  const { name, message } = error instanceof Error ? error : { name: typeof error, message: '' };
  return { name, ...(isShown && { text: message }) };
}
