import { gunzipSync } from 'node:zlib';
import type { CloudWatchLogsDecodedData, CloudWatchLogsEvent } from 'aws-lambda';
import { Env } from '../aws/environment.js';
import { requireEnv } from '../aws/read-environment.js';
import { SafeError, safeText } from '../aws/safe-error.js';
import { count, logAndSanitize, logger, publishMetrics } from '../aws/telemetry.js';
import { TracesEnv, TracesMetric } from '../aws/traces-names.js';
import { readSpanLine, toOtlpRequest } from './otlp.js';
import { signForXRay } from './sign.js';

const [app, environment, region] = [requireEnv(Env.APP), requireEnv(Env.ENVIRONMENT), requireEnv('AWS_REGION')];
/** Base address of the receiver, or nothing for X-Ray. */
const endpoint = process.env[TracesEnv.ENDPOINT];
/** OpenTelemetry Protocol Specification, "OTLP/HTTP Request": the path is added to the base address. */
const url = new URL(
  endpoint === undefined
    ? `https://xray.${region}.amazonaws.com/v1/traces`
    : `${endpoint.replace(/\/$/, '')}/v1/traces`,
);

/** Most spans of a request to X-Ray (Amazon CloudWatch User Guide, "OTLP Endpoints"). */
const MAX_SPANS = 10_000;
const TIMEOUT_MS = 10_000;
/** OpenTelemetry Protocol Specification, "Retryable Response Codes". */
const RETRYABLE = new Set([429, 502, 503, 504]);

/** Error of an export that another attempt may mend. Lambda makes two more, after one and two minutes. */
class NotExported extends SafeError {
  override readonly name = 'NotExported';
}

/**
 * Exports the spans among the lines of a log by OTLP over HTTP.
 *
 * Nothing waits for it: its functions are done. What the receiver refuses for good is lost, counted and logged; the work of which it
 * tells is not concerned.
 * @throws {NotExported} if the receiver can't be reached, or asks for another attempt
 */
export async function handler({ awslogs }: CloudWatchLogsEvent): Promise<void> {
  const data: CloudWatchLogsDecodedData = JSON.parse(gunzipSync(Buffer.from(awslogs.data, 'base64')).toString());
  const spans = data.logEvents.flatMap(({ message }) => readSpanLine(message) ?? []);
  try {
    for (let from = 0; from < spans.length; from += MAX_SPANS) {
      const some = spans.slice(from, from + MAX_SPANS);
      const status = await send(toOtlpRequest(some, { app, environment, region, account: data.owner }));
      if (status < 300) count(TracesMetric.SPANS_EXPORTED, some.length);
      else if (RETRYABLE.has(status)) throw new NotExported(safeText`the receiver of traces answered ${status}`);
      else {
        count(TracesMetric.SPANS_LOST, some.length);
        logger.error('the receiver refused spans for good', { status, spans: some.length });
      }
    }
  } catch (error) {
    throw logAndSanitize('spans were not exported', error);
  } finally {
    publishMetrics();
  }
}

/** @returns the status of the answer */
async function send(body: Uint8Array<ArrayBuffer>): Promise<number> {
  const plain = { 'content-type': 'application/json' };
  const headers = endpoint === undefined ? await signForXRay(url, body, plain) : plain;
  const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) });
  await answer.arrayBuffer();
  return answer.status;
}
