import type { Envelope } from '../../lambdas/patterns/outbox/envelope.js';
import type { ConsumerDescription } from '../../lib/services/service-stack.js';
import type { Deployment } from './deploy.js';

/**
 * Which consumers a message on the bus comes to, by name.
 * @param outputs as the services' stacks tell who hears which events; a command comes to the `<service>-commands` of
 *   whom it is for
 */
export function listenersIn(
  outputs: Deployment['outputs'],
): (message: Pick<Envelope, 'source' | 'to' | 'type'>) => readonly string[] {
  const consumers = Object.values(outputs).flatMap(({ Consumers }): readonly ConsumerDescription[] =>
    JSON.parse(Consumers ?? '[]'),
  );
  return ({ source, to, type }) => {
    if (to !== undefined) return [`${to}-commands`];
    const hears = ({ events }: ConsumerDescription) =>
      events.some(({ service, types }) => source === `orderly.${service}` && types.includes(type));
    return consumers.filter(hears).map(({ name }) => name);
  };
}
