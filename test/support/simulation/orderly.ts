import { isNext } from '../../../packages/kit/inbox/sequence-keys.js';
import { AuditKey, AuditorEnv } from '../../../packages/operator/auditor/contract.js';
import { parseServices, type Service } from '../../../packages/operator/deployment/services.js';
import type { StackOutputs } from '../../../packages/operator/deployment/stacks.js';
import { findPersonalKeyLocation } from '../../../packages/operator/people/personal-data.js';
import { type AnsweredCall, ApiClient, type Reply } from '../../../packages/simulator/client/client.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { ApiRequest } from '../../../packages/simulator/services/apigateway/messages.js';
import type { Item } from '../../../packages/simulator/services/dynamodb/wire.js';
import type { Queue } from '../../../packages/simulator/services/sqs/model.js';
import { token } from './issuer.js';
import { readStackOutputs } from './stacks.js';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Id of a customer, or `operator`. */
  readonly as: string;
  /** Role of the caller. @default customer, or operator for `operator` */
  readonly role?: 'shop';
  readonly body?: object;
  readonly key?: string;
  /** Session and number, instead of an idempotency key. */
  readonly numbered?: { readonly session: string; readonly number: number; readonly answeredUpTo?: number };
  /** Version that the client has read: `If-Match`. */
  readonly ifMatch?: number;
}

/** Call that the client considers complete, with all of its attempts. */
export type Answered = AnsweredCall<Call>;

export type Row = Record<string, unknown>;

/** Services that only listen: nothing that others do depends on them. */
const LISTENING = ['rewards', 'reports'] as const;

/** Stack of the delivery audit. */
const AUDIT = 'Audit/';
/** Milliseconds after which the delivery audit judges a commit. */
const JUDGED_AFTER = 15 * 60_000;

/** Orderly in a simulated cloud, with the interface of clients and operators. */
export class Orderly extends ApiClient<Call> {
  readonly stacks: StackOutputs;
  readonly services: readonly Service[];
  /** Table of the people's keys. */
  readonly personalKeys: string;
  /** People who were forgotten. */
  readonly forgotten: string[] = [];
  /** Time of an operator's last discard. A parked message behind it is awaited from then on. */
  discardedAt = 0;
  /** Whether the delivery audit runs. */
  readonly isAudited: boolean;
  private daysUntil = Number.NEGATIVE_INFINITY;

  /**
   * Where messages may be lost, the delivery audit runs, until it has judged every commit. Elsewhere it doesn't: it would find
   * nothing.
   * @param awake services that only listen, and that this history is about. The rules of the others are disabled: they
   *   would double the messages of every history. Where messages may be lost, and in the acceptance scenarios, all are awake
   * @param isAudited whether the delivery audit runs where messages may be lost
   */
  constructor(cloud: Cloud, awake: readonly (typeof LISTENING)[number][] = [], isAudited = true) {
    super(cloud, { request, describe, isFinal });
    const { assembly } = cloud.deployment;
    this.stacks = readStackOutputs(assembly);
    this.isAudited = cloud.losesMessages && isAudited;
    const asleep: readonly string[] = LISTENING.filter((name) => !this.isAudited && !awake.includes(name));
    cloud.events.disable((label) => asleep.includes(label.slice(0, label.indexOf('/')).toLowerCase()));
    if (this.isAudited && cloud.pageItems !== undefined) this.auditPages(cloud.pageItems);
    this.services = parseServices(this.stacks).filter(({ name }) => !asleep.includes(name));
    this.personalKeys = findPersonalKeyLocation({ stacks: this.stacks, environment: 'simulated' }).table;
    cloud.events.schedules.nextWorkAt = (rule) => (rule.startsWith(AUDIT) ? this.nextAudit() : this.nextTimer());
  }

  /** Lets the delivery audit judge a few commits at once, so that an hour has many of its pages. */
  private auditPages(size: number): void {
    for (const fn of this.cloud.functions.values()) {
      const { variables } = fn;
      if (AuditorEnv.PAGE_SIZE in variables)
        fn.update({ variables: { ...variables, [AuditorEnv.PAGE_SIZE]: String(size) } });
    }
  }

  /** Ends all faults, and waits until everything has come to rest. */
  async rest(): Promise<void> {
    await this.cloud.world.settle();
  }

  /**
   * From now on, the end of a history waits for days to close. Without this, it waits for none: each day that closes opens
   * the next one.
   * @param until time of the last closing, milliseconds since 1970
   */
  awaitDays(until: number): void {
    this.daysUntil = until;
    this.cloud.events.schedules.replan();
  }

  /** Returns the time at which the delivery audit has something to judge, in milliseconds since 1970. */
  nextAudit(): number | undefined {
    if (!this.isAudited) return undefined;
    const { dynamodb } = this.cloud;
    const [table] = Object.values(this.stacks).flatMap(({ AuditTableName }) => AuditTableName ?? []);
    const items = table === undefined ? [] : dynamodb.items(table);
    const followed = items.filter(({ pk }) => isText(pk) && pk.S === AuditKey.RESENT).map(({ dueAt }) => dueAt);
    const open = followed.flatMap((dueAt) => (isText(dueAt) ? [Date.parse(dueAt.S)] : []));
    for (const { name, table } of this.services) {
      const mark = items.find(
        ({ pk, sk }) => isText(pk) && pk.S === AuditKey.WATERMARKS && isText(sk) && sk.S === name,
      );
      const until = mark && isText(mark.auditedUntil) ? mark.auditedUntil.S : '';
      const times = dynamodb.items(table).flatMap(({ feedSk, at }) => (isText(feedSk) && isText(at) ? [at.S] : []));
      const next = times.filter((at) => at >= until).toSorted()[0];
      if (next !== undefined) open.push(Date.parse(next) + JUDGED_AFTER);
    }
    return open.length > 0 ? Math.min(...open) : undefined;
  }

  /** Returns the due time of the earliest pending timer, in milliseconds since 1970. */
  private nextTimer(): number | undefined {
    const records = this.services.flatMap(({ records }) => this.cloud.dynamodb.items(records));
    const passed = records.filter(isPassed);
    const due = records.flatMap((record) => {
      const { pk, status, executeAt, parkedAt, window, closesAt } = record;
      if (!isText(status) || status.S !== 'PENDING' || !isText(executeAt)) return [];
      const at = Date.parse(executeAt.S);
      // A message with a place in a window waits for the window, and no tick ends that before the window closes.
      if (window !== undefined && !(isText(closesAt) && Date.parse(closesAt.S) <= this.daysUntil)) return [];
      // A parked message waits for its predecessor, and no tick ends that. It is awaited once it is the next one.
      if (!parkedAt || !isText(pk)) return [at];
      return isNextPlace(passed, pk.S, record) ? [Math.max(at, this.discardedAt)] : [];
    });
    return due.length > 0 ? Math.min(...due) : undefined;
  }

  /** Returns the queue of a consumer. @throws {Error} if there is none */
  findQueue(consumer: string): Queue {
    const url = this.services.flatMap(({ consumers }) => consumers).find(({ name }) => name === consumer)?.queueUrl;
    const found = [...this.cloud.queues.values()].find(({ resource }) => resource.ref === url);
    if (!found) throw new Error(`there is no queue of ${consumer}`);
    return found;
  }

  /** Returns a table's items as plain objects. */
  itemsOf(table: string): readonly Row[] {
    return this.cloud.listItems(table);
  }
}

function request({ method, path, as, role, body, key, numbered, ifMatch }: Call, now: number): ApiRequest {
  const headers = {
    Authorization: `Bearer ${token(as, role ?? (as === 'operator' ? 'operator' : 'customer'), now)}`,
    'Content-Type': 'application/json',
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    ...(numbered ? { 'Session-Id': numbered.session, 'Request-Number': String(numbered.number) } : {}),
    ...(numbered?.answeredUpTo === undefined ? {} : { 'Answered-Up-To': String(numbered.answeredUpTo) }),
    ...(ifMatch === undefined ? {} : { 'If-Match': String(ifMatch) }),
  };
  return { method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
}

const describe = ({ method, path, as, key, numbered }: Call): string =>
  `client ${as} ${method} ${path}${key === undefined ? '' : ` key ${key}`}${numbered ? ` number ${numbered.number}` : ''}`;

const isText = (value: object | undefined): value is { readonly S: string } => value !== undefined && 'S' in value;

/** Whether a record tells what a sequential inbox has passed: it is a cursor, or was discarded. */
const isPassed = ({ position, status }: Item): boolean =>
  position !== undefined || (isText(status) && status.S === 'DISCARDED');

/**
 * Whether every place before this one, in a sequential inbox, is behind the cursor or discarded.
 * @param passed cursors and discarded records
 * @param pk of its record
 */
function isNextPlace(passed: readonly Item[], pk: string, { follows }: Item): boolean {
  const [, history = '', epoch = '0', place] = /^(.*#)SEQ#(?:(\d+)\/)?(\d{10})$/.exec(pk) ?? [];
  const ofHistory = passed.filter((record) => isText(record.pk) && record.pk.S.startsWith(history));
  const cursor = ofHistory.find(({ position }) => position !== undefined);
  const numberOf = (value: Item[string] | undefined): number => (value && 'N' in value ? Number(value.N) : 0);
  const done = numberOf(cursor?.position);
  if (Number(epoch) > 0) {
    const at = { epoch: Number(epoch), sequence: Number(place), follows: isText(follows) ? follows.S : undefined };
    return isNext(at, { epoch: numberOf(cursor?.epoch), sequence: done });
  }
  const discarded = ofHistory.filter(
    ({ sequence }) => sequence && 'N' in sequence && Number(sequence.N) > done && Number(sequence.N) < Number(place),
  );
  return done + discarded.length === Number(place) - 1;
}

/** Whether an answer is final, so that a client does not retry. A conflict with another version than `If-Match` is final. */
function isFinal({ status, headers, body }: Reply): boolean {
  if (status >= 500 || status === 429) return false;
  const mayRetry = Object.keys(headers).some((name) => name.toLowerCase() === 'retry-after');
  return !(status === 409 && mayRetry && /:(conflict|in-progress)$/.test(String(body.type)));
}
