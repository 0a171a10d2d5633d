import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LocalCloud } from '@orderly/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localAssembly, TRACES_HOST } from '../../tools/local/assembly.js';
import { dueRecords } from '../../tools/local/awaits.js';
import { Stage } from '../../tools/local/demos/stage.js';
import { findEndpoint } from '../../tools/local/endpoint.js';

type Value = { readonly stringValue?: string; readonly intValue?: number; readonly arrayValue?: object };
type Attributes = readonly { readonly key: string; readonly value: Value }[];

/** A span as an OTLP receiver gets it. */
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Attributes;
  readonly service: string;
}

/** A receiver of OTLP over HTTP, as a collector is one. */
class Receiver {
  readonly spans: Span[] = [];
  /** Status of its answers. */
  status = 200;
  private constructor(private readonly server: Server) {}

  static async listen(): Promise<Receiver> {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      // OpenTelemetry Protocol Specification, "OTLP/HTTP Request".
      const isTraces = request.method === 'POST' && request.url === '/v1/traces';
      if (isTraces && receiver.status === 200) receiver.take(JSON.parse(body));
      response.writeHead(isTraces ? receiver.status : 404, { 'content-type': 'application/json' }).end('{}');
    });
    const receiver = new Receiver(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private take(request: {
    readonly resourceSpans: readonly {
      readonly resource: { readonly attributes: Attributes };
      readonly scopeSpans: readonly { readonly spans: readonly Omit<Span, 'service'>[] }[];
    }[];
  }): void {
    for (const { resource, scopeSpans } of request.resourceSpans) {
      const service = attribute(resource, 'service.name') ?? '';
      for (const { spans } of scopeSpans) this.spans.push(...spans.map((span) => ({ ...span, service })));
    }
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

const attribute = ({ attributes }: { readonly attributes: Attributes }, name: string): string | undefined =>
  attributes.find(({ key }) => key === name)?.value.stringValue;

let receiver: Receiver;
let local: LocalCloud;
let stage: Stage;
beforeAll(async () => {
  receiver = await Receiver.listen();
  local = await LocalCloud.start({
    folder: await localAssembly(undefined, true),
    log: () => undefined,
    nextWorkAt: dueRecords,
    outside: { [TRACES_HOST]: receiver.url },
  });
  stage = await Stage.open(await findEndpoint(local.url), () => undefined);
});
afterAll(async () => {
  await local?.stop();
  receiver?.close();
});

/** Places an order, and waits until it is approved and every message about it is processed. @returns its id */
async function approved(name: string): Promise<string> {
  const sku = await stage.article(name, { price: 1000, customers: [name] });
  const { orderId } = await stage.place(name, { sku, price: 1000 });
  await local.live.forward(20_000);
  expect((await stage.becomes(orderId, 'APPROVED')).status).toBe('APPROVED');
  return orderId;
}

/** Returns the spans of the newest trace that begins with the placing of an order. */
function spansOfOrder(): readonly Span[] {
  const root = receiver.spans.findLast(({ name }) => name === 'POST /orders') ?? expect.fail('no order has a trace');
  return receiver.spans.filter(({ traceId }) => traceId === root.traceId);
}

/** Returns the names of a span and of what caused it, the span first. */
function causes(spans: readonly Span[], span: Span): readonly string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [`${span.service}: ${span.name}`, ...(parent ? causes(spans, parent) : [])];
}

describe('an order in a local cloud with a receiver of traces', () => {
  test('is one trace through all services, in which each span has its cause', async () => {
    await approved('traced');
    const spans = spansOfOrder();
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    const roots = spans.filter(({ parentSpanId }) => !spans.some(({ spanId }) => spanId === parentSpanId));
    expect(roots.map(({ name }) => name)).toEqual(['POST /orders']);
    expect([...new Set(spans.map(({ service }) => service))].sort()).toEqual(
      expect.arrayContaining(['accounts', 'catalog', 'inventory', 'orders', 'payments', 'rewards']),
    );
    const reserved = spans.find(({ name }) => name === 'process ReserveStock') ?? expect.fail('no stock is reserved');
    expect(causes(spans, reserved)).toEqual([
      'inventory: process ReserveStock',
      'orders: send ReserveStock',
      'orders: commit CreateOrderSaga',
      'orders: process AccountAuthorized',
      'accounts: send AccountAuthorized',
      'accounts: commit Account',
      'accounts: process AuthorizeAccount',
      'orders: send AuthorizeAccount',
      'orders: commit CreateOrderSaga',
      'orders: process PricesConfirmed',
      'catalog: send PricesConfirmed',
      'catalog: commit PriceCheck',
      'catalog: process ConfirmPrices',
      'orders: send ConfirmPrices',
      'orders: commit CreateOrderSaga',
      'orders: process OrderPlaced',
      'orders: send OrderPlaced',
      'orders: commit Order',
      'orders: POST /orders',
    ]);
    const steps = spans.filter(({ name }) => name === 'advance CreateOrderSaga');
    expect(steps.map((step) => attribute(step, 'kit.saga.status'))).toContain('COMPLETED');
    const [request] = roots as [Span];
    expect([attribute(request, 'http.request.method'), attribute(request, 'http.route')]).toEqual(['POST', '/orders']);
    expect(spans.every((span) => BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano))).toBe(true);
  });

  test('shows a second delivery as a span of its own, a duplicate beside what was applied', async () => {
    await approved('twice');
    const [first] = spansOfOrder().filter(({ name }) => name === 'process ReserveStock');
    local.live.redeliver(attribute(first as Span, 'messaging.message.id') ?? '');
    await local.live.forward(20_000);
    const attempts = spansOfOrder().filter(({ name }) => name === 'process ReserveStock');
    expect(attempts.map((span) => attribute(span, 'kit.outcome'))).toEqual(['applied', 'duplicate']);
    expect(new Set(attempts.map(({ parentSpanId }) => parentSpanId)).size).toBe(1);
  });

  test('is approved although the receiver is down, and its spans arrive once it is up', async () => {
    receiver.status = 503;
    const known = receiver.spans.length;
    await approved('unseen');
    expect(receiver.spans.length).toBe(known);
    receiver.status = 200;
    await local.live.forward(5 * 60_000);
    expect(receiver.spans.length).toBeGreaterThan(known);
    expect(spansOfOrder().map(({ name }) => name)).toContain('process ReserveStock');
  });
});
