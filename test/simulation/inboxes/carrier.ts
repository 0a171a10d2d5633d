import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { ThirdParty } from '../../../packages/simulator/cloud/outside-hosts.js';
import type { HttpRequest, HttpResponse } from '../../../packages/simulator/runtime/http.js';
import { CARRIER } from '../../kit/inbox/carrier.js';

const said = (status: number, body = ''): HttpResponse => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body,
});

/** A carrier that prints a label for each idempotency key, and keeps its keys. The first answer to each key gets lost. */
export class Carrier implements ThirdParty {
  private readonly byKey = new Map<string, string>();
  /** Labels by order, in the order of printing. */
  readonly labels = new Map<string, readonly string[]>();

  static at(cloud: Cloud): Carrier {
    const carrier = new Carrier();
    cloud.thirdParties.add(CARRIER, carrier);
    return carrier;
  }

  answer({ headers, body }: HttpRequest): HttpResponse | undefined {
    const key = headers['idempotency-key'] ?? '';
    const before = this.byKey.get(key);
    if (before !== undefined) return said(200, before);
    const { orderId } = JSON.parse(body) as { orderId: string };
    const printed = this.labels.get(orderId) ?? [];
    const label = `${orderId}-${printed.length + 1}`;
    this.labels.set(orderId, [...printed, label]);
    this.byKey.set(key, label);
    return said(503);
  }

  refuse(): HttpResponse {
    return said(429);
  }
}
