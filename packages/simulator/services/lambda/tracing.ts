import { createHash } from 'node:crypto';
import type { Resource } from '../../assembly/assembly.js';

/**
 * Returns the tracing header of an invocation: code may insist on one. No request is sampled, so nothing is sent to a daemon. AWS Lambda,
 * "Using Lambda environment variables" (`_X_AMZN_TRACE_ID`); AWS X-Ray, "Tracing header". A function that doesn't trace actively gets the
 * root alone, as AWS has recorded it: aws/aws-xray-sdk-node, pull requests 651 and 660.
 * @param requestId from which the trace's id follows: no chance is taken from the rest of the history
 * @param now milliseconds since 1970
 */
export function traceHeader({ TracingConfig }: Resource['properties'], requestId: string, now: number): string {
  const hex = createHash('sha256').update(requestId).digest('hex');
  const seconds = Math.floor(now / 1000).toString(16);
  const root = `Root=1-${seconds}-${hex.slice(0, 24)}`;
  if ((TracingConfig as { readonly Mode?: string } | undefined)?.Mode !== 'Active')
    return `${root};Lineage=${hex.slice(40, 48)}:0`;
  return `${root};Parent=${hex.slice(24, 40)};Sampled=0`;
}
