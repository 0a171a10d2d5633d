import { type ConsumerDescription, INBOX_MODES, Output, servicePrefixes } from '@orderly/kit/internal/base/outputs.js';
import { recordKey, relayConsumer } from '@orderly/kit/internal/failures/failure-records.js';
import { placeKey } from '@orderly/kit/internal/inbox/sequence-keys.js';
import type { FeedShards } from '@orderly/kit/internal/messages/commit.js';
import type { Envelope } from '@orderly/kit/internal/messages/envelope.js';
import * as z from 'zod/mini';
import { OperatorError } from '../cli/errors.js';
import type { StackOutputs } from './stacks.js';

/** A deployed service, from the outputs of its stack. */
export interface Service {
  readonly name: string;
  readonly table: string;
  readonly records: string;
  /** Name of its relay function. */
  readonly relay: string;
  /** Number of times that it was restored. @default 0, as of a stack that doesn't say it yet */
  readonly epoch?: number;
  /** Shards of its feed, in the order of the times from which they hold. */
  readonly feedShards: FeedShards;
  readonly consumers: readonly ConsumerDescription[];
}

const Consumers: z.ZodMiniType<ConsumerDescription[]> = z.array(
  z.object({
    name: z.string(),
    generation: z.int(),
    since: z.exactOptional(z.string()),
    queueUrl: z.string(),
    events: z.array(z.object({ service: z.string(), types: z.array(z.string()) })),
    takesCommands: z.boolean(),
    dedupeWindowSeconds: z.union([z.int(), z.array(z.object({ from: z.string(), seconds: z.int() }))]),
    longestRedeliverySeconds: z.int(),
    projection: z.boolean(),
    rebuild: z.exactOptional(z.string()),
    saga: z.exactOptional(z.string()),
    inbox: z.exactOptional(z.object({ mode: z.enum(INBOX_MODES), queueUrl: z.string() })),
    lane: z.exactOptional(z.object({ writer: z.string() })),
  }),
);

const Shards: z.ZodMiniType<FeedShards> = z
  .array(z.object({ from: z.string(), shards: z.int().check(z.gte(1)) }))
  .check(z.minLength(1));

/**
 * Returns the services among the stacks of an environment, by name.
 * @throws {OperatorError} `refused` if another release of the kit has written the outputs
 */
export const parseServices = (stacks: StackOutputs): readonly Service[] =>
  Object.entries(stacks)
    .flatMap(([stack, outputs]) =>
      servicePrefixes(Object.keys(outputs)).map((prefix) => parseService(stack, outputs, prefix)),
    )
    .toSorted((one, other) => one.name.localeCompare(other.name));

function parseService(stack: string, outputs: StackOutputs[string], prefix: string): Service {
  const output = (name: string): string => outputs[prefix + name] ?? '';
  const consumers = z.safeParse(Consumers, JSON.parse(output(Output.CONSUMERS) || 'null'));
  const feedShards = z.safeParse(Shards, JSON.parse(output(Output.FEED_SHARDS) || 'null'));
  if (!consumers.success || !feedShards.success) {
    throw new OperatorError(
      'refused',
      `${stack} was deployed by another release, and this one can't read its outputs: deploy ${stack} again, or use the command line of the release that deployed it.`,
    );
  }
  return {
    name: output(Output.SERVICE),
    table: output(Output.TABLE),
    records: output(Output.RECORDS),
    relay: output(Output.RELAY),
    epoch: Number(output(Output.EPOCH) || 0),
    feedShards: feedShards.data,
    consumers: consumers.data,
  };
}

/** A consumer of one service, or its relay, which has no description because no queue leads to it. */
export interface Listener {
  readonly service: Service;
  readonly name: string;
  readonly generation: number;
  readonly consumer?: ConsumerDescription;
}

/** Returns all consumers, and each service's relay. */
export const listListeners = (services: readonly Service[]): readonly Listener[] =>
  services.flatMap((service) => [
    ...service.consumers.map((consumer) => ({
      service,
      name: consumer.name,
      generation: consumer.generation,
      consumer,
    })),
    { service, ...relayConsumer },
  ]);

/**
 * Returns the listeners with a name: one consumer, or every service's relay.
 * @throws {OperatorError} `not-found`, with the existing names
 */
export function findListeners(services: readonly Service[], name: string): readonly Listener[] {
  const all = listListeners(services);
  const named = all.filter((listener) => listener.name === name);
  if (named.length > 0) return named;
  const names = [...new Set(all.map((listener) => listener.name))].join(', ');
  throw new OperatorError('not-found', `There is no consumer '${name}'; there are: ${names}.`, ['failures', 'list']);
}

/**
 * Returns the keys of the records that a listener may have of a message. An inbox in mode sequential stores a message
 * under its place; a message that it could not store has its record under its id, as everywhere else.
 */
export const listRecordKeys = (
  listener: Listener,
  message: Pick<Envelope, 'id' | 'subject' | 'sequence' | 'epoch'>,
): readonly string[] => [
  ...(listener.consumer?.inbox?.mode === 'sequential' ? [placeKey(listener, message)] : []),
  recordKey(listener, message.id),
];
