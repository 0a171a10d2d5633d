import { type Attempt, describeAttempt, formatDuration, type Service, secondsBetween } from '@orderly/operator';
import { type Delivery, type EventReport, listTries } from './deliveries.js';

/** A message with what followed from it. */
export interface MessageNode {
  readonly message: EventReport;
  readonly hops: readonly Hop[];
  /** Messages that followed although no consumer in sight can have sent them. */
  readonly others: readonly MessageNode[];
}

/** A delivery of a message, and the messages that its consumer committed. */
export interface Hop {
  readonly delivery: Delivery;
  readonly followed: readonly MessageNode[];
}

/**
 * Arranges messages by their causes. A cause is the trigger of a commit; a message whose cause isn't among them is a root: a
 * request, a timer or an operator caused it. It is a pure function.
 * @param messages oldest first
 */
export function buildTree(messages: readonly EventReport[], services: readonly Service[]): readonly MessageNode[] {
  const ids = new Set(messages.map(({ id }) => id));
  const placed = new Set<string>();
  const node = (message: EventReport): MessageNode => {
    placed.add(message.id);
    const caused = messages.filter(({ trigger, id }) => trigger === message.id && !placed.has(id));
    const followedOf = new Map<Delivery, EventReport[]>();
    const others: EventReport[] = [];
    for (const one of caused) {
      const by = findConsumer(one, message.deliveries, services);
      if (by) followedOf.set(by, [...(followedOf.get(by) ?? []), one]);
      else others.push(one);
    }
    return {
      message,
      hops: message.deliveries.map((delivery) => ({
        delivery,
        followed: (followedOf.get(delivery) ?? []).map(node),
      })),
      others: others.map(node),
    };
  };
  return messages.filter(({ trigger }) => !ids.has(trigger)).map(node);
}

/** Returns the delivery whose consumer has committed a message: of its own service, and no projection, which commits nothing. */
function findConsumer(
  { service, subject }: EventReport,
  deliveries: readonly Delivery[],
  services: readonly Service[],
): Delivery | undefined {
  const own = deliveries.filter((one) => one.service === service);
  const findDescription = ({ consumer }: Delivery) =>
    services.find(({ name }) => name === service)?.consumers.find(({ name }) => name === consumer);
  const able = own.filter((one) => findDescription(one)?.projection === false);
  const [type] = subject.split('/');
  return (
    able.find((one) => findDescription(one)?.saga === type) ??
    able.find((one) => !findDescription(one)?.saga) ??
    able[0]
  );
}

/** Returns the node of a message in a tree. */
export function findNode(roots: readonly MessageNode[], id: string): MessageNode | undefined {
  for (const root of roots) {
    if (root.message.id === id) return root;
    const below = findNode([...root.hops.flatMap(({ followed }) => followed), ...root.others], id);
    if (below) return below;
  }
  return undefined;
}

/** Returns all messages of trees. */
export const collectMessages = (roots: readonly MessageNode[]): readonly EventReport[] =>
  roots.flatMap(({ message, hops, others }) => [
    message,
    ...collectMessages(hops.flatMap(({ followed }) => followed)),
    ...collectMessages(others),
  ]);

/** Formats the time since a beginning: `+340 ms`, `+1.2 s`, `+3 min`. */
export function formatElapsed(begin: string, at: string): string {
  const seconds = secondsBetween(begin, at);
  if (Math.abs(seconds) < 1) return `+${Math.round(seconds * 1000)} ms`;
  return seconds < 60 ? `+${seconds.toFixed(1)} s` : `+${formatDuration(seconds)}`;
}

const WORDS: Readonly<Record<Delivery['state'], string>> = {
  processed: 'processed',
  collected: 'collected',
  pending: 'PENDING',
  failed: 'FAILED',
  discarded: 'discarded',
  repeated: 'failed again',
  lost: 'LOST',
  expired: 'not known any more',
  unsent: 'not sent',
  unjudged: 'not recorded (a projection)',
};

/** @param verbose whether ids and times are shown in full */
export function formatTree(roots: readonly MessageNode[], { verbose }: { readonly verbose: boolean }): string {
  const [first] = roots;
  if (!first) return '';
  const begin = first.message.at;
  const formatTime = (at: string): string => (verbose ? at : formatElapsed(begin, at));
  const formatId = (id: string): string => (verbose ? id : id.slice(-8));
  const lines: string[] = [];
  const draw = (text: string, below: readonly ((indent: string, last: boolean) => void)[], indent: string): void => {
    lines.push(text);
    for (const [at, one] of below.entries()) one(indent, at === below.length - 1);
  };
  const branch = (text: string, below: readonly ((indent: string, last: boolean) => void)[]) => {
    return (indent: string, last: boolean): void =>
      draw(`${indent}${last ? '└─' : '├─'} ${text}`, below, `${indent}${last ? '   ' : '│  '}`);
  };
  const parts = ({ hops, others }: MessageNode) => [...hops.map(hopBranch), ...others.map(messageBranch)];
  const messageBranch = (node: MessageNode): ((indent: string, last: boolean) => void) =>
    branch(describeMessage(node.message), parts(node));
  const hopBranch = ({ delivery, followed }: Hop): ((indent: string, last: boolean) => void) =>
    branch(describeHop(delivery), [...listTries(delivery).map(tryBranch), ...followed.map(messageBranch)]);
  const tryBranch = (attempt: Attempt): ((indent: string, last: boolean) => void) =>
    branch(describeAttempt(attempt, formatTime), []);
  const describeMessage = ({ type, to, details, subject, version, at, id, publication }: EventReport): string => {
    const [aggregate = ''] = subject.split(/[/ ]/);
    return [
      to === undefined ? type : `${type} to ${to}`,
      ...(details ? [details] : []),
      ...(to === undefined ? [`${aggregate} ${version}`] : []),
      formatTime(at),
      formatId(id),
      ...(publication ? [publication.text] : []),
    ].join('  ');
  };
  const describeHop = ({ consumer, state, at, reason, attempts }: Delivery): string =>
    [
      `${consumer}: ${WORDS[state]}`,
      ...(at === undefined ? [] : [formatTime(at)]),
      ...(attempts === undefined || attempts < 2 ? [] : [`${attempts} attempts`]),
      ...(reason === undefined ? [] : [reason]),
    ].join('  ');
  for (const [at, root] of roots.entries()) {
    const { message } = root;
    // Messages of one commit have one cause.
    if (at === 0 || roots[at - 1]?.message.trigger !== message.trigger)
      lines.push(...(at === 0 ? [] : ['']), `caused by ${formatId(message.trigger)}, ${message.at}`);
    draw(describeMessage(message), parts(root), '');
  }
  return lines.join('\n');
}
