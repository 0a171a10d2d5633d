import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { ApiResponse } from '../../../packages/simulator/aws/api-gateway.js';
import type { Queue } from '../../../packages/simulator/aws/sqs.js';
import type { Cloud } from '../../../packages/simulator/cloud.js';
import type { Service } from '../../../tools/operator/services.js';
import { token } from './issuer.js';
import { servicesOf } from './services.js';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** A customer's id, or `operator`. */
  readonly as: string;
  readonly body?: object;
  readonly key?: string;
  /** In the place of a key. */
  readonly numbered?: { readonly session: string; readonly number: number; readonly answeredUpTo?: number };
}

export interface Reply {
  readonly status: number;
  readonly headers: ApiResponse['headers'];
  readonly body: Record<string, unknown>;
}

/** A call that came to an end for its client, with every try until then. */
export interface Answered extends Call {
  readonly reply: Reply;
  readonly tries: number;
}

export type Row = Record<string, unknown>;

const TRIES = 40;
/** No call is given up before this: longer than any fault that heals by itself within a day. */
const LONGEST_PAUSE = 3_600_000;

/** Orderly in a simulated cloud, as clients and operators use it. */
export class Orderly {
  /** Calls that their clients saw through, in the order of their ends. */
  readonly answered: Answered[] = [];
  /** Calls whose clients gave up. */
  readonly unanswered: Call[] = [];
  readonly services: readonly Service[];
  /** Table of the people's keys. */
  readonly personalKeys: string;
  /** People who were forgotten. */
  readonly forgotten: string[] = [];

  constructor(readonly cloud: Cloud) {
    const { assembly } = cloud.deployment;
    this.services = servicesOf(assembly);
    const [, table] = [...assembly.outputs].find(([name]) => name.endsWith('.PersonalKeysName')) ?? [];
    this.personalKeys = String(table);
    cloud.events.schedules.awaits = () => this.nextTimer();
  }

  /** Sends one request at once; it is answered when it is answered. */
  send({ method, path, as, body, key, numbered }: Call, done: (reply: Reply) => void): void {
    const { world, apis } = this.cloud;
    const bearer = token(as, as === 'operator' ? 'operator' : 'customer', world.now);
    const headers = {
      Authorization: `Bearer ${bearer}`,
      'Content-Type': 'application/json',
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      ...(numbered ? { 'Session-Id': numbered.session, 'Request-Number': String(numbered.number) } : {}),
      ...(numbered?.answeredUpTo === undefined ? {} : { 'Answered-Up-To': String(numbered.answeredUpTo) }),
    };
    const name = `client ${as} ${method} ${path}${key === undefined ? '' : ` key ${key}`}${numbered ? ` number ${numbered.number}` : ''}`;
    world.note(name);
    const request = { method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    apis[0]?.request(request, ({ status, headers, body: text }) => {
      world.note(`${name} -> ${status}${status >= 400 ? ` ${text}` : ''}`);
      done({ status, headers, body: text === '' ? {} : JSON.parse(text) });
    });
  }

  /** Sends until an answer is final, as a good client does: again after 5xx, 429 and conflicts, under the same key. */
  begin(call: Call, done: (answered: Answered) => void = () => undefined): void {
    const { world } = this.cloud;
    const attempt = (tries: number): void =>
      this.send(call, (reply) => {
        if (!isFinal(reply) && tries < TRIES) {
          const pause = Math.min(LONGEST_PAUSE, 250 * 2 ** Math.min(tries, 14));
          world.after(pause, () => attempt(tries + 1));
        } else if (isFinal(reply)) {
          const answered = { ...call, reply, tries };
          this.answered.push(answered);
          done(answered);
        } else this.unanswered.push(call);
      });
    attempt(1);
  }

  /** Like `begin`, and lets the world go on until it is answered. */
  async call(call: Call): Promise<Answered> {
    let result: Answered | undefined;
    this.begin(call, (answered) => {
      result = answered;
    });
    await this.cloud.world.until(() => result !== undefined || this.unanswered.includes(call));
    if (!result) throw new Error(`no final answer to ${call.method} ${call.path}`);
    return result;
  }

  /** Lets all faults heal and everything come to rest. */
  async rest(): Promise<void> {
    await this.cloud.world.settle();
  }

  /** When the earliest stored message is due that waits, milliseconds since 1970: then a sweeper finds something. */
  private nextTimer(): number | undefined {
    const due = this.services
      .flatMap(({ records }) => this.cloud.dynamodb.items(records))
      .flatMap(({ status, executeAt }) =>
        isText(status) && status.S === 'PENDING' && isText(executeAt) ? [Date.parse(executeAt.S)] : [],
      );
    return due.length > 0 ? Math.min(...due) : undefined;
  }

  /** The queue that a consumer reads. @throws {Error} where there is none */
  queueOf(consumer: string): Queue {
    const url = this.services.flatMap(({ consumers }) => consumers).find(({ name }) => name === consumer)?.queueUrl;
    const found = [...this.cloud.queues.values()].find(({ resource }) => resource.ref === url);
    if (!found) throw new Error(`there is no queue of ${consumer}`);
    return found;
  }

  /** A table's items, as plain objects. */
  itemsOf(table: string): readonly Row[] {
    return this.cloud.dynamodb.items(table).map((item) => unmarshall(item as Parameters<typeof unmarshall>[0]));
  }
}

const isText = (value: object | undefined): value is { readonly S: string } => value !== undefined && 'S' in value;

/** Whether a client needs not ask again. */
function isFinal({ status, body }: Reply): boolean {
  if (status >= 500 || status === 429) return false;
  return !(status === 409 && /:(conflict|in-progress)$/.test(String(body.type)));
}
