import type { MapNode } from '@orderly/console';
import type { Resource } from '../assembly/assembly.js';
import type { Cloud } from '../cloud/cloud.js';

/** Types of the resources that are nodes, and what a map calls them. */
const KINDS = {
  'AWS::Lambda::Function': 'function',
  'AWS::DynamoDB::Table': 'table',
  'AWS::DynamoDB::GlobalTable': 'table',
  'AWS::SQS::Queue': 'queue',
  'AWS::S3::Bucket': 'bucket',
  'AWS::Events::EventBus': 'bus',
} as const;

/** Id of the bus that every account has, which no template creates. */
export const DEFAULT_BUS = 'bus:default';

/** Path of a function's construct as the models and the stream name it. */
export const labelOf = ({ label }: Resource): string => label.replace(/\/Function$/, '');

/** The nodes of a map, by the ARNs of their resources. */
export class MapNodes {
  private readonly byId = new Map<string, MapNode>();
  private readonly byArn = new Map<string, MapNode>();

  constructor(cloud: Cloud) {
    const { assembly } = cloud.deployment;
    const deadLetters = deadLetterArns(cloud);
    for (const resource of assembly.resources) {
      const kind = KINDS[resource.type as keyof typeof KINDS];
      if (kind === undefined) continue;
      const label = labelOf(resource);
      this.add(resource.arn, {
        id: `${kind}:${label}`,
        kind,
        name: nameIn(label),
        label,
        service: resource.stack,
        ...(kind !== 'bus' && { resource: resource.arn.split(/[:/]/).at(-1) ?? '' }),
        ...(deadLetters.has(resource.arn) && { isDeadLetter: true }),
      });
    }
    for (const topic of assembly.findByType('AWS::SNS::Topic'))
      this.add(topic.arn, {
        id: `topic:${topic.label}`,
        kind: 'topic',
        name: nameIn(topic.label),
        label: topic.label,
        service: topic.stack,
      });
    this.add(cloud.home.arn('events', 'event-bus/default'), {
      id: DEFAULT_BUS,
      kind: 'bus',
      name: 'default bus',
      label: 'default',
    });
  }

  /** @param arn of the resource; absent for what has none */
  add(arn: string | undefined, node: MapNode): MapNode {
    this.byId.set(node.id, node);
    if (arn !== undefined) this.byArn.set(arn, node);
    return node;
  }

  /** Returns the node of a resource; `undefined` if the map doesn't show it. */
  find(arn: string): MapNode | undefined {
    return this.byArn.get(arn);
  }

  /** Returns all nodes with their ARNs. */
  entries(): Iterable<readonly [arn: string, node: MapNode]> {
    return this.byArn;
  }

  list(): readonly MapNode[] {
    return [...this.byId.values()];
  }
}

/** Name within the service: the path without its first part, or all of a path that has only one. */
const nameIn = (label: string): string => label.split('/').slice(1).join('/') || label;

/** Returns the ARNs of queues that get what couldn't be delivered or processed. */
export function deadLetterArns({ queues, events, deployment: { assembly } }: Cloud): ReadonlySet<string> {
  const ofQueues = [...queues.values()].flatMap(({ deadLetterTargetArn }) => deadLetterTargetArn ?? []);
  const ofRules = events.rules
    .list()
    .flatMap(({ targets }) => targets.flatMap(({ DeadLetterConfig }) => DeadLetterConfig?.Arn ?? []));
  return new Set([...ofQueues, ...ofRules, ...failureDestinations(assembly.resources).map(([, arn]) => arn)]);
}

/** Returns where functions and mappings send what they give up. AWS CloudFormation, `DeadLetterConfig`, `DestinationConfig`. */
export function failureDestinations(resources: readonly Resource[]): readonly (readonly [Resource, string])[] {
  return resources.flatMap((resource) => {
    if (!resource.type.startsWith('AWS::Lambda::')) return [];
    const { DeadLetterConfig, DestinationConfig } = resource.properties as {
      readonly DeadLetterConfig?: { readonly TargetArn?: string };
      readonly DestinationConfig?: { readonly OnFailure?: { readonly Destination?: string } };
    };
    const arn = DeadLetterConfig?.TargetArn ?? DestinationConfig?.OnFailure?.Destination;
    return arn === undefined ? [] : [[resource, arn] as const];
  });
}
