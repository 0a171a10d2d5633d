import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { documentClient, type Item, type TransactWriteItem, transact } from '../aws/dynamodb.js';
import { readItems } from '../aws/read-items.js';
import { PENDING } from '../failures/delivery.js';
import { addSeconds, type ClaimedMessage, leaseAttributes, leaseCondition } from './claimed-message.js';
import { WAKE } from './contract.js';
import { StoredMessages, type StoredMessagesOptions } from './stored-messages.js';
import { calendarKey, pageKey, windowKey, windowMessageId } from './window-keys.js';
import type { Windows } from './windows.js';

export interface CollectedMessagesOptions extends StoredMessagesOptions {
  readonly windows: Windows;
  /** Messages of one page. */
  readonly pageSize: number;
  /** Seconds between the end of a window and its closing. */
  readonly graceSeconds: number;
}

/** A message that waits for its place in a window. */
export interface Uncollected {
  readonly pk: string;
  /** Window of the event's time. */
  readonly own: string;
}

/** Progress of all windows of an inbox. */
interface Calendar {
  /** Window that closes next. All windows before it are closed. */
  readonly next: string;
  /** Number of windows that have closed. */
  readonly closed: number;
}

/** A window as its record shows it. */
export interface WindowRecord {
  readonly pk: string;
  readonly id: string;
  readonly status: string;
  readonly closesAt: string;
  /** Number of its messages. */
  readonly size: number;
  /** Messages of each of its pages: the inbox's setting when the window opened, which a deployment may change meanwhile. */
  readonly pageSize: number;
  /** Number of its pages whose effects have committed. */
  readonly done: number;
  /** Number of the window, from 1, without gaps. It is set when the window closes. */
  readonly number: number | undefined;
}

/**
 * Records of an inbox in mode batch. Each message gets a place in exactly one window: its own if that is open, or else the
 * next one that closes.
 *
 *     collector                           runner of window w
 *     reads w: open, 7 messages
 *                                         closes w: 7 messages, if it still has 7
 *     message + w has 8, if it has 7
 *     and is open: refused
 *     reads again: w is closed, takes w+1
 *
 * Windows close in their order, and each one that closes opens its successor. So a window without messages closes, too.
 */
export class CollectedMessages extends StoredMessages {
  constructor(protected override readonly options: CollectedMessagesOptions) {
    super(options);
  }

  /** Reads a record, strongly consistent. */
  async read(pk: string): Promise<Item | undefined> {
    const { table } = this.options;
    return (await documentClient.send(new GetCommand({ TableName: table, Key: { pk }, ConsistentRead: true }))).Item;
  }

  /** Reads records in the order of their keys. @throws {Throttled} if DynamoDB returns nothing again and again */
  async readAll(keys: readonly string[]): Promise<readonly Item[]> {
    const { table } = this.options;
    const items = await readItems(
      documentClient,
      table,
      keys.map((pk) => ({ pk })),
      { consistent: true },
    );
    const found = new Map(items.map((item) => [item.pk, item]));
    return keys.map((pk) => found.get(pk)).filter((item) => item !== undefined);
  }

  /**
   * Gives messages their places, all in one transaction.
   * @param messages of one invocation, at most 10
   * @throws {WriteConflict} if another collector or the closing of a window was first: nothing was written
   */
  async collect(messages: readonly Uncollected[]): Promise<void> {
    const { consumer, windows } = this.options;
    const calendar = await this.readCalendar();
    const next = calendar?.next ?? messages.map(({ own }) => own).toSorted()[0] ?? '';
    const byWindow = new Map<string, Uncollected[]>();
    for (const message of messages) {
      const window = message.own >= next ? message.own : next;
      byWindow.set(window, [...(byWindow.get(window) ?? []), message]);
    }
    // The first window is there from the beginning of the calendar, or no window would ever close.
    if (!calendar && !byWindow.has(next)) byWindow.set(next, []);
    const opened = await Promise.all(
      [...byWindow].map(async ([window, members]) =>
        this.planPlacement(window, members, await this.readWindow(window), windows),
      ),
    );
    const isNewWindow = opened.some(({ isNew }) => isNew);
    await transact([
      ...(calendar
        ? isNewWindow
          ? [this.calendarCheck(next)]
          : []
        : [this.putWrite({ pk: calendarKey(consumer), next, closed: 0 })]),
      ...opened.flatMap(({ writes }) => writes),
    ]);
  }

  /** Returns the writes that give messages their places in one window. */
  private planPlacement(
    window: string,
    members: readonly Uncollected[],
    found: WindowRecord | undefined,
    windows: Windows,
  ) {
    const { consumer, table } = this.options;
    const { size, pageSize } = found ?? { size: 0, pageSize: this.options.pageSize };
    const pages = new Map<number, string[]>();
    for (const [at, { pk }] of members.entries()) {
      const page = Math.floor((size + at) / pageSize) + 1;
      pages.set(page, [...(pages.get(page) ?? []), pk]);
    }
    const isOpen = '#size = :size AND attribute_not_exists(closedAt)';
    const grown: TransactWriteItem = found
      ? {
          Update: {
            TableName: table,
            Key: { pk: found.pk },
            UpdateExpression: 'SET #size = :grown',
            ConditionExpression: isOpen,
            ExpressionAttributeNames: { '#size': 'size' },
            ExpressionAttributeValues: { ':size': size, ':grown': size + members.length },
          },
        }
      : this.putWrite(this.createWindowItem(window, windows, members.length));
    const filled = [...pages].map(
      ([page, keys]): TransactWriteItem => ({
        Update: {
          TableName: table,
          Key: { pk: pageKey(consumer, window, page) },
          UpdateExpression: 'SET messages = list_append(if_not_exists(messages, :none), :keys)',
          ExpressionAttributeValues: { ':none': [], ':keys': keys },
        },
      }),
    );
    return {
      isNew: found === undefined,
      writes: [grown, ...filled, ...members.map((one) => this.placementWrite(one, window))],
    };
  }

  private placementWrite({ pk, own }: Uncollected, window: string): TransactWriteItem {
    return {
      Update: this.buildUpdate(pk, {
        set: { window, ...(window === own ? {} : { lateFrom: own }) },
        remove: ['duePk', WAKE],
        condition: '#status = :pending AND attribute_not_exists(#window)',
        names: { '#status': 'status', '#window': 'window' },
        values: { ':pending': PENDING },
      }),
    };
  }

  private createWindowItem(window: string, windows: Windows, size: number): Item {
    const { consumer, graceSeconds, pageSize } = this.options;
    const pk = windowKey(consumer, window);
    const closesAt = addSeconds(windows.endOf(window), graceSeconds);
    return {
      pk,
      status: PENDING,
      messageId: windowMessageId(window),
      topic: 'window',
      window,
      closesAt,
      // A window waits from its closing on.
      storedAt: closesAt,
      ...this.dueAttributes(pk, closesAt),
      attempts: 0,
      fence: 0,
      size,
      pageSize,
      done: 0,
      group: 'windows',
    };
  }

  /** Returns the window that closes next; `undefined` before the first message. */
  async readCalendar(): Promise<Calendar | undefined> {
    const item = await this.read(calendarKey(this.options.consumer));
    return item && { next: String(item.next), closed: Number(item.closed) };
  }

  async readWindow(id: string): Promise<WindowRecord | undefined> {
    const item = await this.read(windowKey(this.options.consumer, id));
    return item && this.toWindowRecord(item);
  }

  /** Reads the record of a window. One that an earlier release opened does not say how many messages a page has. */
  toWindowRecord(item: Item): WindowRecord {
    return {
      pk: String(item.pk),
      id: String(item.window),
      status: String(item.status),
      closesAt: String(item.closesAt),
      size: Number(item.size),
      pageSize: Number(item.pageSize ?? this.options.pageSize),
      done: Number(item.done),
      number: item.number === undefined ? undefined : Number(item.number),
    };
  }

  /**
   * Closes a window: from now on its messages are fixed. It gets its number, and its successor opens.
   * @returns whether it closed; otherwise it has grown meanwhile, or the lease is lost
   * @throws {WriteConflict}
   */
  async close(claimed: ClaimedMessage, window: WindowRecord, { closed }: Calendar): Promise<number> {
    const { consumer, windows, table } = this.options;
    const next = windows.next(window.id);
    const number = closed + 1;
    const held = leaseCondition(claimed);
    await transact([
      {
        Update: this.buildUpdate(window.pk, {
          set: { closedAt: clock.now(), number },
          condition: `${held.condition} AND #size = :size AND attribute_not_exists(closedAt)`,
          names: { ...held.names, '#size': 'size' },
          values: { ...held.values, ':size': window.size },
        }),
      },
      {
        Update: {
          TableName: table,
          Key: { pk: calendarKey(consumer) },
          UpdateExpression: 'SET #next = :next, #closed = :number',
          ConditionExpression: '#next = :window',
          ExpressionAttributeNames: { '#next': 'next', '#closed': 'closed' },
          ExpressionAttributeValues: { ':next': next, ':number': number, ':window': window.id },
        },
      },
      ...((await this.readWindow(next)) ? [] : [this.putWrite(this.createWindowItem(next, windows, 0))]),
    ]);
    return number;
  }

  /** Returns the keys of the messages of a page. */
  async readPageKeys(window: string, page: number): Promise<readonly string[]> {
    return ((await this.read(pageKey(this.options.consumer, window, page)))?.messages ?? []) as readonly string[];
  }

  /**
   * Returns the write that ends a page. It fails if the lease is lost, or if the page is done already.
   * @param leaseSeconds for which the runner holds the window from now on
   */
  pageWrite(claimed: ClaimedMessage, page: number, leaseSeconds: number): TransactWriteItem {
    const held = leaseCondition(claimed);
    const until = addSeconds(clock.now(), leaseSeconds);
    return {
      Update: this.buildUpdate(claimed.pk, {
        // Each page has attempts of its own.
        set: { done: page, attempts: 1, failures: [], ...leaseAttributes(until) },
        remove: ['progress', 'progressId'],
        condition: `${held.condition} AND #done = :before`,
        names: { ...held.names, '#done': 'done' },
        values: { ...held.values, ':before': page - 1 },
      }),
    };
  }

  /** Returns the writes that end the messages of a page, and let the page expire with them. */
  processedWrites(
    window: string,
    page: number,
    keys: readonly string[],
    expiresAt: number,
  ): readonly TransactWriteItem[] {
    const { consumer, table } = this.options;
    return [
      ...keys.map((pk) => ({
        Update: this.buildUpdate(pk, {
          set: { status: 'PROCESSED', processedAt: clock.now(), expiresAt },
          condition: '#status = :pending AND #window = :window',
          names: { '#status': 'status', '#window': 'window' },
          values: { ':pending': PENDING, ':window': window },
        }),
      })),
      {
        Update: {
          TableName: table,
          Key: { pk: pageKey(consumer, window, page) },
          UpdateExpression: 'SET expiresAt = :expiresAt',
          ExpressionAttributeValues: { ':expiresAt': expiresAt },
        },
      },
    ];
  }

  /** Hands a window out again later: it is not its turn yet. */
  async defer(pk: string, seconds: number): Promise<void> {
    await this.update(pk, {
      set: { executeAt: addSeconds(clock.now(), seconds) },
      remove: [WAKE],
      condition: '#status = :pending AND attribute_not_exists(heldUntil)',
      names: { '#status': 'status' },
      values: { ':pending': PENDING },
    });
  }

  private putWrite(item: Item): TransactWriteItem {
    return { Put: { TableName: this.options.table, Item: item, ConditionExpression: 'attribute_not_exists(pk)' } };
  }

  /** A window that is new must not be one that has closed already. */
  private calendarCheck(next: string): TransactWriteItem {
    return {
      ConditionCheck: {
        TableName: this.options.table,
        Key: { pk: calendarKey(this.options.consumer) },
        ConditionExpression: '#next = :next',
        ExpressionAttributeNames: { '#next': 'next' },
        ExpressionAttributeValues: { ':next': next },
      },
    };
  }
}
