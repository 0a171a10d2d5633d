import type { Service } from '../../../packages/kit/operator/services.js';
import type { ConsumerDescription } from '../../../packages/kit/service/service-stack.js';
import type { Assembly } from '../../../packages/simulator/assembly/assembly.js';

/** Every service of a deployment, as its stack's outputs tell an operator. */
export function servicesOf({ outputs }: Assembly): readonly Service[] {
  return [...outputs.keys()]
    .filter((key) => key.endsWith('.ServiceName'))
    .map((key) => {
      const output = (name: string): string => String(outputs.get(`${key.slice(0, -'ServiceName'.length)}${name}`));
      return {
        name: output('ServiceName'),
        table: output('TableName'),
        records: output('RecordsName'),
        relay: output('RelayName'),
        consumers: JSON.parse(output('Consumers')) as ConsumerDescription[],
      };
    });
}
