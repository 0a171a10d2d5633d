import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';

interface Step {
  readonly type: string;
  readonly data: { readonly orderId: string; readonly stepId: string };
}

/**
 * Sends steps to a service, like the relay of a saga. A retry is another message with the same step.
 * @param to the service
 * @throws {Error} where messages may be lost: no feed knows these, so nobody would miss one
 */
export function sender<Command extends Step>(cloud: Cloud, to: string): (command: Command) => void {
  if (cloud.losesMessages)
    throw new Error('commands sent by hand are in no feed: play a scenario whose sagas send them');
  const { world, events, deployment } = cloud;
  const [, name] = [...deployment.assembly.outputs].find(([key]) => key.endsWith('-Platform.BusName')) ?? [];
  const bus = events.busName(String(name)) ?? '';
  const random = world.random.fork('commands');
  return ({ type, data }) => {
    const detail = {
      specversion: '1.0',
      id: random.id(),
      source: 'orderly.orders',
      to,
      type,
      subject: `CreateOrderSaga/${data.orderId}`,
      time: new Date(world.now).toISOString(),
      dataschema: `urn:orderly:${to}:${type}:1`,
      data,
      sequence: 1,
      epoch: 0,
      correlationid: data.orderId,
      causationid: data.orderId,
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
      actor: 'service:orders',
    };
    world.note(`saga ${data.stepId} ${detail.id}`);
    events.put(bus, { source: detail.source, detailType: type, detail });
  };
}
