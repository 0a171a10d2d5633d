import type { OfferedType } from '../../../lambdas/webhooks/payloads.js';
import { isPublicAddress, verifyWebhook } from '../../../packages/kit/webhooks/index.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { HttpRequest, HttpResponse } from '../../../packages/simulator/runtime/http.js';

/** A request as a receiver got it. */
export interface ReceivedRequest {
  /** Virtual milliseconds since 1970. */
  readonly at: number;
  /** `webhook-id`. */
  readonly id: string;
  readonly body: string;
  readonly payload: {
    readonly type: OfferedType;
    readonly orderId: string;
    readonly customerId?: string;
    readonly sequence: number;
    readonly data: Readonly<Record<string, unknown>>;
  };
  /** Whether its signature is right. */
  readonly isGenuine: boolean;
  /** Whether the receiver has said that it has the message. */
  readonly isAccepted: boolean;
}

/** How a receiver answers a request. `undefined`: it has processed the request, and its answer gets lost. */
export type Behaviour = (request: {
  readonly id: string;
  readonly times: number;
  readonly number: number;
}) =>
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly after?: number }
  | undefined;

const OK = { status: 200 };

/** Receiver of webhooks outside of AWS, in the place of one host. */
export class Receiver {
  readonly requests: ReceivedRequest[] = [];
  /** Secrets that it knows. */
  readonly secrets: string[] = [];
  /** Secret that it knows instead of them, from a time on (milliseconds since 1970). */
  renewed: { readonly secret: string; readonly from: number } | undefined;
  behaves: Behaviour;

  constructor(
    private readonly cloud: Cloud,
    readonly host: string,
    behaves: Behaviour = () => OK,
  ) {
    this.behaves = behaves;
    cloud.thirdParties.addStub(host, (request, then) => this.answer(request, then));
  }

  get url(): string {
    return `https://${this.host}/hooks`;
  }

  /** Ids of the messages that it has said to have. */
  get accepted(): ReadonlySet<string> {
    return new Set(this.requests.filter(({ isAccepted }) => isAccepted).map(({ id }) => id));
  }

  private answer({ headers, body }: HttpRequest, then: (answer: HttpResponse | undefined) => void): void {
    const { world } = this.cloud;
    const id = headers['webhook-id'] ?? '';
    const times = this.requests.filter((one) => one.id === id).length + 1;
    const answer = this.behaves({ id, times, number: this.requests.length + 1 });
    this.requests.push({
      at: world.now,
      id,
      body,
      payload: JSON.parse(body),
      isGenuine: this.isGenuine(headers, body),
      isAccepted: answer !== undefined && answer.status >= 200 && answer.status < 300,
    });
    if (!answer) {
      then(undefined);
      return;
    }
    const { status, headers: more = {}, after = 0 } = answer;
    const response = { status, headers: more, body: '' };
    if (after === 0) then(response);
    else world.after(after, () => then(response));
  }

  private isGenuine(headers: HttpRequest['headers'], body: string): boolean {
    const { renewed, cloud } = this;
    const secrets = renewed && cloud.world.now >= renewed.from ? [renewed.secret] : this.secrets;
    try {
      verifyWebhook({ headers, body }, secrets, Math.floor(cloud.world.now / 1000));
      return true;
    } catch {
      return false;
    }
  }
}

/** Name of a host at sslip.io that leads to an address. */
export const hostAt = (address: string): string => {
  const host = `hooks-${address.replaceAll('.', '-')}.sslip.io`;
  if (isPublicAddress(address)) throw new Error(`${address} is public`);
  return host;
};
