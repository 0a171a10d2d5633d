import { readFileSync } from 'node:fs';
import { APP } from '../../lambdas/app.js';
import { type EventSchema, listTypesOffBus, type ServiceContract } from '../../packages/kit/messages/contract.js';
import { isEventSubscription, type Subscription } from '../../packages/kit/messages/subscriptions.js';
import { contracts } from '../release/contracts.js';
import { ROOT } from './pictures.js';
import { appRelease, byName, modulesNamed } from './sources.js';

/** Everything that travels on the bus: what the documents about messages are generated from. */
export interface Bus {
  /** Name of the application, with which each `source` begins. */
  readonly app: string;
  /** Release of the application. */
  readonly release: string;
  /** Events first, then commands; each by service, in the order of the contracts. */
  readonly messages: readonly BusMessage[];
  readonly hearers: readonly Hearer[];
  /** Events that are stored and not published, by service. */
  readonly offBus: readonly (readonly [service: string, types: readonly string[]])[];
}

/** A type of event or command, with all of its versions. */
export interface BusMessage {
  readonly kind: 'event' | 'command';
  /** Service whose contract defines the type. */
  readonly service: string;
  /** Name of the contract, with which examples are found: `orders`. */
  readonly contract: string;
  readonly type: string;
  readonly meaning: string;
  readonly schema: EventSchema;
}

/** A subscription of a service. */
export interface Hearer {
  readonly service: string;
  /** Name in the service's `subscriptions.ts`: `orderEnds`, `answers.catalog`. */
  readonly name: string;
  readonly meaning: string;
  readonly subscription: Subscription;
}

/** Error for a declaration without a comment. The comment says what the documents have to say. */
export class NoMeaning extends Error {
  override readonly name = 'NoMeaning';
}

const LAMBDAS = new URL('lambdas/', ROOT);

/** Reads the contracts, the subscriptions, and what their comments say. */
export async function orderlyBus(): Promise<Bus> {
  const all = [...(await contracts())].toSorted(byName);
  const messages = (kind: BusMessage['kind']) => all.flatMap((one) => readMessages(kind, ...one));
  return {
    app: APP.name,
    release: appRelease(),
    messages: [...messages('event'), ...messages('command')],
    hearers: await hearers(),
    offBus: all.flatMap(([, contract]) => {
      const types = listTypesOffBus([contract]);
      return types.length === 0 ? [] : [[contract.service, types] as const];
    }),
  };
}

function readMessages(kind: BusMessage['kind'], contract: string, of: ServiceContract): readonly BusMessage[] {
  // A saga's events stay inside, and its commands come from its timer and from operators, past the bus.
  if (contract.endsWith('-saga')) return [];
  // A service may have several: `webhooks-delivery` is webhooks/delivery-contract.ts.
  const own = contract === of.service ? '' : `${contract.slice(of.service.length + 1)}-`;
  const text = readText(new URL(`${of.service}/${own}contract.ts`, LAMBDAS));
  const schemas = Object.entries((kind === 'event' ? of.events : of.commands) ?? {});
  const published = schemas.filter(([, { onBus = true }]) => onBus);
  return published.map(([type, schema]) => ({
    kind,
    service: of.service,
    contract,
    type,
    meaning: commentBefore(text, `${type}: {`),
    schema,
  }));
}

async function hearers(): Promise<readonly Hearer[]> {
  return (await modulesNamed('subscriptions')).flatMap(({ service, url, exported }) => {
    const text = readText(url);
    // Not every loader of modules sorts the names of their exports.
    return Object.entries(exported)
      .toSorted(byName)
      .flatMap(([name, value]) =>
        findSubscriptions(name, value).map(([path, subscription]) => ({
          service,
          name: path,
          meaning: commentBefore(text, `export const ${name} = `),
          subscription,
        })),
      );
  });
}

/** Finds the subscriptions to the bus in an export: itself, or its members. Own commands don't travel on the bus. */
function findSubscriptions(name: string, value: unknown): readonly (readonly [string, Subscription])[] {
  if (typeof value !== 'object' || value === null || 'ownCommandsOf' in value) return [];
  if ('commandsOf' in value || 'types' in value) return [[name, value as Subscription]];
  return Object.entries(value).flatMap(([member, one]) => findSubscriptions(`${name}.${member}`, one));
}

/** Returns the subscriptions that hear a message. */
export const findSubscribers = ({ hearers }: Bus, { kind, service, type }: BusMessage): readonly Hearer[] =>
  hearers.filter(({ subscription }) =>
    isEventSubscription(subscription)
      ? kind === 'event' && subscription.contract.service === service && subscription.types.includes(type)
      : kind === 'command' && subscription.commandsOf.service === service,
  );

/** Returns the services that send a message: an event's own service, and the services whose command is accepted. */
export const findSenders = (bus: Bus, message: BusMessage): readonly string[] =>
  message.kind === 'event'
    ? [message.service]
    : [
        ...new Set(
          findSubscribers(bus, message).flatMap(({ subscription }) =>
            isEventSubscription(subscription) ? [] : subscription.from.map(({ service }) => service),
          ),
        ),
      ];

/** Returns the versions of a message that this release reads, in ascending order. */
export const versionsOf = ({ schema: { version } }: BusMessage): readonly number[] =>
  Array.from({ length: version }, (_, at) => at + 1);

/** Returns the version that this release writes; 0 if it only reads the type. */
export const writtenVersion = ({ schema: { version, writes = version } }: BusMessage): number => writes;

/** Returns the schema of a version. */
export const versionSchema = ({ type, schema: { version, data, earlier } }: BusMessage, number: number) => {
  const shape = number === version ? data : earlier?.[number]?.data;
  if (!shape) throw new Error(`${type} has no version ${number}`);
  return shape;
};

/**
 * Returns the text of the comment before a declaration, as one line.
 * @throws {NoMeaning} if there is no comment
 */
function commentBefore(text: string, declaration: string): string {
  const before = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s*${declaration.replaceAll(/[{.]/g, '\\$&')}`).exec(text);
  const comment = before?.[1]
    ?.replaceAll(/\n\s*\* ?/g, ' ')
    .replaceAll(/\{@link (\w+)\}/g, '$1')
    .trim();
  if (!comment) throw new NoMeaning(`'${declaration}' has no comment that says what it means`);
  return comment;
}

const readText = (file: URL): string => readFileSync(file, 'utf8');
