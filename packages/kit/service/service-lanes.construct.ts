import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { ConsumerDescription } from '../base/outputs.js';
import type { ServiceFunction } from '../base/service-function.construct.js';
import type { HotKeySettings } from '../lane/contract.js';
import { Lane, type LaneProps } from '../lane/lane.construct.js';
import type { Outbox } from '../outbox/outbox.construct.js';
import type { addListener, ListenerProps } from './listener.construct.js';

/** Consumer with a lane for keys under contention. */
export interface LaneListenerProps extends ListenerProps {
  /** Entry point of the lane's writer. */
  readonly laneEntry: string;
  readonly hotKeys: HotKeySettings;
}

/** Consumers that change the same aggregates, with one lane for those under contention. */
export interface SharedLaneProps<Id extends string = string> extends Pick<LaneListenerProps, 'laneEntry' | 'hotKeys'> {
  /** Name of the lane. It is part of each stored request's key, so it never changes. */
  readonly name: string;
  /** The consumers by their construct ids. */
  readonly consumers: Readonly<Record<Id, ListenerProps>>;
}

/** Parts of a service that its lanes need. */
interface LaneHost {
  readonly outbox: Outbox;
  readonly alarmTopic: ITopic;
  /** Descriptions of the service's consumers, to which those with a lane are added. */
  readonly consumers: ConsumerDescription[];
  readonly environment: LaneProps['environment'];
}

type Listener = ReturnType<typeof addListener>;

/** Lanes of a service. The constructs are children of the service. */
export class ServiceLanes {
  constructor(
    private readonly scope: Construct,
    private readonly host: LaneHost,
  ) {}

  add(
    id: string,
    { consumer: owner, description }: Listener,
    { entry, hotKeys }: Pick<LaneProps, 'entry' | 'hotKeys'>,
  ): { readonly handler: ServiceFunction; readonly writer: ServiceFunction } {
    const { writer } = this.create(id, { name: owner.name, owners: [owner], entry, hotKeys });
    this.describe([description], writer);
    return { handler: owner.handler, writer };
  }

  addShared<const Id extends string>(
    id: string,
    owners: readonly (readonly [id: string, listener: Listener])[],
    { name, entry, hotKeys }: Pick<LaneProps, 'name' | 'entry' | 'hotKeys'>,
  ): { readonly handlers: Readonly<Record<Id, ServiceFunction>>; readonly writer: ServiceFunction } {
    const { writer } = this.create(id, { name, owners: owners.map(([, { consumer }]) => consumer), entry, hotKeys });
    this.describe(
      owners.map(([, { description }]) => description),
      writer,
    );
    const handlers = Object.fromEntries(owners.map(([consumerId, { consumer }]) => [consumerId, consumer.handler]));
    return { handlers: handlers as Record<Id, ServiceFunction>, writer };
  }

  private create(id: string, props: Pick<LaneProps, 'name' | 'owners' | 'entry' | 'hotKeys'>): Lane {
    const { outbox, environment, alarmTopic } = this.host;
    return new Lane(this.scope, `${id}Lane`, { ...props, outbox, environment, alarmTopic });
  }

  private describe(descriptions: readonly Listener['description'][], writer: ServiceFunction): void {
    const lane = { writer: writer.function.functionName };
    for (const description of descriptions) this.host.consumers.push({ ...description, projection: false, lane });
  }
}
