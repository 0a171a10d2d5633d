import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { FAILED_INDEX } from '@orderly/kit/internal/aws/indexes.js';
import { mapConcurrently } from '@orderly/kit/internal/aws/map-concurrently.js';

import { relayConsumer } from '@orderly/kit/internal/failures/failure-records.js';
import { appendAuditEntry, recordResult } from '../audit-log/audit-log.js';
import type { CommandContext } from '../cli/context.js';
import { OperatorError } from '../cli/errors.js';
import type { Interruption } from '../cli/interruptible.js';
import { formatDuration, pluralize } from '../cli/text-format.js';
import type { Service } from '../deployment/services.js';
import { readDeployedEpoch } from './access.js';
import type { ApplyAccess } from './apply-access.js';
import { copyBack } from './copy-back.js';
import { readLostCommits } from './lost-commits.js';
import type { PlannedTable } from './plan-types.js';
import {
  type RestoreRecord,
  type RestoreRunId,
  recordProgress,
  requireOwnRun,
  runCondition,
  storeLostCommits,
} from './restore-record.js';
import type { Step } from './steps.js';
import { compareTables, type Differences, PASSES, type Place } from './table-comparison.js';

export type RunContext = Pick<
  CommandContext,
  'documents' | 'services' | 'actor' | 'clock' | 'confirm' | 'place' | 'environment' | 'say'
> &
  Interruption;

/** Why a run ends before the restore is done. */
export class Halt extends Error {
  override readonly name = 'Halt';
  constructor(
    /** `stopped`: by Ctrl-C; `deploy`: the epoch is to be raised; `failures`: the relay has failed to publish something. */
    readonly why: 'stopped' | 'deploy' | 'failures',
  ) {
    super(why);
  }
}

/** Calls at once: below the rates that AWS allows for changes of functions. */
const CONCURRENCY = 4;
/** Time between two looks at what AWS is changing, in seconds: mappings take seconds, tables minutes to hours. */
const POLL_INTERVAL_SECONDS = { mappings: 5, relay: 15, tables: 20 };
/** Time after the newest invocation of a relay after which it is quiet: CloudWatch knows a minute a few minutes later. */
const QUIET_SECONDS = 180;
/** How often the tables are compared, and made equal where they aren't. */
const ROUNDS = 3;

type Copied = RestoreRecord['copied'];

/** The input of a run. */
export interface RestoreWork {
  readonly service: Service;
  /** Names of its functions, all but the relay. */
  readonly functions: readonly string[];
  readonly tables: readonly Pick<PlannedTable, 'name' | 'copy'>[];
  readonly own: RestoreRunId;
}

/**
 * One run of `restore apply`. Each step looks first at what is done already, so a run may end anywhere, and another one
 * continues. Before each change it checks that no other run has taken over.
 */
export class RestoreRun {
  /** Differences of the tables, by the name of the live one; absent until they were compared. */
  readonly differences = new Map<string, Differences>();

  constructor(
    private readonly context: RunContext,
    private readonly access: ApplyAccess,
    private readonly work: RestoreWork,
    private kept: RestoreRecord,
  ) {}

  get record(): RestoreRecord {
    return this.kept;
  }

  /** Switches off all mappings, and then all functions. A function that was on again in the meantime is stopped again. */
  async stop(): Promise<void> {
    const { functions, service } = this.work;
    const running = await this.running();
    if (running.mappings.length + running.functions.length === 0 && this.kept.stoppedAt !== undefined) return;
    // Functions that run from here on may commit: the list of published commits is complete no longer, and what is equal may change.
    await this.note({ stoppedAt: undefined, publishedAt: undefined, copied: undefined });
    await this.logged('stop', async () => {
      this.context.say(`stops ${pluralize(functions.length, 'function')} of ${service.name}`);
      await this.switched(running.mappings, false);
      // A function without concurrency would use up the deliveries of its messages: mappings first, and wholly.
      for (;;) {
        const { waiting } = await this.running();
        if (waiting === 0) break;
        this.context.say(`${pluralize(waiting, 'event source mapping')} of ${service.name} still being switched off`);
        await this.pause(POLL_INTERVAL_SECONDS.mappings);
      }
      await mapConcurrently(running.functions, CONCURRENCY, async (name) => {
        await this.mayChange();
        await this.access.reserve(name, 0);
      });
      return pluralize(functions.length, 'function');
    });
    await this.note({ stoppedAt: this.access.now() });
  }

  /** Waits until the relay has published everything that is committed, and keeps what will be forgotten. */
  async publish(): Promise<void> {
    const { service, functions, own } = this.work;
    if (this.kept.publishedAt !== undefined) return;
    await this.refuseStoppedRelay();
    const timeouts = await mapConcurrently(functions, CONCURRENCY, (name) => this.access.timeout(name));
    const stopped = Date.parse(this.kept.stoppedAt ?? this.access.now());
    const allEnded = stopped + Math.max(0, ...timeouts) * 1000;
    for (;;) {
      const newest = await this.access.lastInvocation(service.relay);
      // The minute of an invocation ends a minute after it begins.
      const busyUntil = Math.max(allEnded, newest === undefined ? 0 : Date.parse(newest) + 60_000);
      const left = (busyUntil - Date.parse(this.access.now())) / 1000 + QUIET_SECONDS;
      if (left <= 0) break;
      this.context.say(`waits until the relay of ${service.name} has been quiet for ${formatDuration(QUIET_SECONDS)}`);
      await this.pause(Math.min(left, POLL_INTERVAL_SECONDS.relay));
    }
    if (await this.hasFailures()) throw new Halt('failures');
    const publishedAt = this.access.now();
    // Half of what will be forgotten may be gone: the list is that of before.
    if (this.kept.copyingSince !== undefined) return this.note({ publishedAt });
    const forgotten = await readLostCommits(this.context, service, { from: own.at, to: publishedAt });
    await storeLostCommits(this.context.documents, service, own, { forgotten, publishedAt });
    const { subjects: _, ...summary } = forgotten;
    this.kept = {
      ...this.kept,
      publishedAt,
      forgotten: { ...summary, types: [...summary.types], heardBy: [...summary.heardBy] },
    };
  }

  /** Lets AWS make the copies, and waits for them. */
  async restore(): Promise<void> {
    const { tables, own } = this.work;
    const missing: (typeof tables)[number][] = [];
    for (const table of tables) if (!(await this.checkedCopy(table))) missing.push(table);
    if (missing.length > 0) {
      await this.logged('restore', async () => {
        for (const { name, copy } of missing) {
          await this.mayChange();
          await this.access.restore({ source: name, copy }, own.at);
        }
        return pluralize(missing.length, 'copy', 'copies');
      });
    }
    for (const table of tables) {
      while ((await this.checkedCopy(table))?.status !== 'ACTIVE') {
        this.context.say(`waits for the copy ${table.copy}: minutes to hours`);
        await this.pause(POLL_INTERVAL_SECONDS.tables);
      }
    }
  }

  /**
   * Makes the live tables equal to the copies: from where an earlier run has ended. Only the comparison at the end, which reads everything,
   * says that it is done.
   */
  async copyBack(): Promise<void> {
    const { service, own } = this.work;
    if (this.context.confirm) {
      const [put, deleted] = await this.compare(this.kept.copied);
      const sums = `puts ${pluralize(put, 'item')} back and deletes ${pluralize(deleted, 'item')}`;
      await this.context.confirm(`the restore of ${service.name} to ${own.at} ${sums} in ${this.place}`);
    }
    if (this.kept.copyingSince === undefined) await this.note({ copyingSince: this.access.now() });
    await this.logged('copy back', async () => {
      let [put, deleted] = [0, 0];
      for (let round = 1; ; round++) {
        // A difference after the first round was written by something else: anywhere.
        const done = await this.copyTables(round === 1 ? this.kept.copied : undefined);
        [put, deleted] = [put + done[0], deleted + done[1]];
        const [left, more] = await this.compare();
        if (left + more === 0) break;
        if (round === ROUNDS) {
          throw new OperatorError(
            'refused',
            `The tables of ${service.name} differ from their copies again and again (${left + more} items): something else writes into them.`,
          );
        }
      }
      return `${put} put back, ${deleted} deleted`;
    });
    await this.note({ copiedAt: this.access.now() });
  }

  /** @throws {Halt} until the raised epoch is deployed: functions and stack say so */
  async deployed(): Promise<void> {
    if (this.kept.resumedAt !== undefined) return;
    if ((await this.epoch()) <= this.kept.epoch) throw new Halt('deploy');
  }

  /** Epoch that the stack and all functions have reached. */
  private async epoch(): Promise<number> {
    const { service, functions } = this.work;
    return Math.min(await readDeployedEpoch(this.access, functions), service.epoch ?? 0);
  }

  /** Gives functions their concurrency back, switches their mappings on, and waits for them. */
  async start(): Promise<void> {
    const { functions, mappings } = this.kept;
    if (this.kept.resumedAt !== undefined) return;
    if (this.kept.startingSince === undefined) await this.note({ startingSince: this.access.now() });
    await this.logged('start', async () => {
      this.context.say(`starts ${pluralize(functions.length, 'function')} of ${this.work.service.name}`);
      await mapConcurrently(functions, CONCURRENCY, async ({ name, reserved }) => {
        await this.mayChange();
        await this.access.reserve(name, reserved);
      });
      await this.switched(mappings, true);
      for (;;) {
        const all = (
          await mapConcurrently(functions, CONCURRENCY, ({ name }) => this.access.listMappings(name))
        ).flat();
        const open = all.filter(({ id, state }) => mappings.includes(id) && state !== 'Enabled');
        if (open.length === 0) break;
        this.context.say(`${pluralize(open.length, 'event source mapping')} still being switched on`);
        await this.pause(POLL_INTERVAL_SECONDS.mappings);
      }
      return pluralize(functions.length, 'function');
    });
  }

  /** Deletes the copies, if they are copies of these tables. */
  async deleteCopies(): Promise<void> {
    const { tables, service, own } = this.work;
    if (this.kept.endedAt !== undefined) return;
    await this.context.confirm?.(`deletion of the copies of ${service.name} of ${own.at} in ${this.place}`);
    await this.logged('delete copies', async () => {
      for (const table of tables) {
        if (!(await this.checkedCopy(table))) continue;
        await this.mayChange();
        await this.access.deleteTable(table.copy);
      }
      return pluralize(tables.length, 'copy', 'copies');
    });
    await this.note({ endedAt: this.access.now() });
  }

  async note(progress: Parameters<typeof recordProgress>[3]): Promise<void> {
    const { service, own } = this.work;
    await recordProgress(this.context.documents, service, own, progress);
    const changed = { ...this.kept, ...progress };
    const there = Object.entries(changed).filter(([, value]) => value !== undefined);
    this.kept = Object.fromEntries(there) as RestoreRecord;
  }

  private get place(): string {
    return this.context.place ?? this.context.environment;
  }

  private mayChange(): Promise<void> {
    return requireOwnRun(this.context.documents, this.work.service, this.work.own);
  }

  /** @throws {Halt} after Ctrl-C */
  private async pause(seconds: number): Promise<void> {
    await this.context.wait(seconds);
    if (this.context.stopped()) throw new Halt('stopped');
  }

  /** Writes the entry of the audit log before a step changes something, and its result afterwards. */
  private async logged(step: Step, work: () => Promise<string>): Promise<void> {
    const { service, own } = this.work;
    const actor = await this.context.actor();
    const target = `${step} (to ${own.at})`;
    const entry = await appendAuditEntry(this.context, service, { actor, action: 'restore', target });
    await recordResult(this.context.documents, entry, await work());
  }

  private async switched(ids: readonly string[], on: boolean): Promise<void> {
    await mapConcurrently(ids, CONCURRENCY, async (id) => {
      await this.mayChange();
      while (!(await this.access.switchMapping(id, on))) await this.pause(POLL_INTERVAL_SECONDS.mappings);
    });
  }

  /** Returns what is on: mappings to switch off, functions to stop, and the number of mappings that aren't off yet. */
  private async running() {
    const seen = await mapConcurrently(this.work.functions, CONCURRENCY, async (name) => ({
      name,
      reserved: await this.access.reserved(name),
      mappings: await this.access.listMappings(name),
    }));
    const on = seen.flatMap(({ mappings }) => mappings).filter(({ state }) => state !== 'Disabled');
    return {
      mappings: on.filter(({ state }) => state !== 'Disabling').map(({ id }) => id),
      waiting: on.length,
      functions: seen.filter(({ reserved }) => reserved !== 0).map(({ name }) => name),
    };
  }

  private async refuseStoppedRelay(): Promise<void> {
    const { relay } = this.work.service;
    const mappings = await this.access.listMappings(relay);
    const off = mappings.length === 0 || mappings.some(({ state }) => state !== 'Enabled');
    if (!off && (await this.access.reserved(relay)) !== 0) return;
    throw new OperatorError(
      'refused',
      `The relay ${relay} is switched off, so nobody publishes what is committed: switch it on, and repeat this command.`,
    );
  }

  private async hasFailures(): Promise<boolean> {
    const { Count = 0 } = await this.context.documents.send(
      new QueryCommand({
        TableName: this.work.service.records,
        IndexName: FAILED_INDEX,
        KeyConditionExpression: 'failedConsumer = :name',
        ExpressionAttributeValues: { ':name': relayConsumer.name },
        Select: 'COUNT',
        Limit: 1,
      }),
    );
    return Count > 0;
  }

  /** @throws {OperatorError} `refused` if a table of the copy's name is something else */
  private async checkedCopy({ name, copy }: (typeof this.work.tables)[number]) {
    const found = await this.access.copy(copy);
    if (!found || (found.from?.table === name && found.from.at === this.work.own.at)) return found;
    throw new OperatorError(
      'refused',
      `The table ${copy} is no copy of ${name} as it was at ${this.work.own.at}: nothing was changed. Delete it, or give it another name.`,
    );
  }

  /** Compares the tables. @param from first place. @default everything @returns numbers of items to put back and to delete */
  private compare(from?: Copied): Promise<readonly [number, number]> {
    const { documents, say } = this.context;
    return this.eachTable(from, ({ name, copy }, place) => {
      const told = this.told((read) => say(`compares ${name}: ${pluralize(read, 'item')}`));
      return compareTables(documents, { live: name, copy }, this.access.now(), told, place);
    });
  }

  /** Makes the tables equal. @returns numbers of items that it has put back and deleted */
  private copyTables(from?: Copied): Promise<readonly [number, number]> {
    const { documents, wait, say } = this.context;
    const { service, own } = this.work;
    return this.eachTable(from, ({ name, copy }, place, tables) => {
      const told = this.told((read) => say(`copies back into ${name}: ${pluralize(read, 'item')} compared`));
      const check = (reached: Place) =>
        runCondition(
          service,
          own,
          reached.pass === PASSES.length ? { tables: tables + 1, pass: 0 } : { tables, ...reached },
        );
      return copyBack({ documents, check, wait, told }, { live: name, copy }, this.access.now(), place);
    });
  }

  private async eachTable(
    from: Copied,
    work: (table: RestoreWork['tables'][number], place: Place | undefined, at: number) => Promise<Differences>,
  ): Promise<readonly [number, number]> {
    let [put, deleted] = [0, 0];
    for (const [at, table] of this.work.tables.entries()) {
      if (at < (from?.tables ?? 0)) continue;
      const found = await work(table, at === from?.tables ? from : undefined, at);
      if (!this.differences.has(table.name) || found.put + found.deleted > 0) this.differences.set(table.name, found);
      [put, deleted] = [put + found.put, deleted + found.deleted];
    }
    return [put, deleted];
  }

  /** @throws {Halt} after Ctrl-C */
  private told(tell: (read: number) => void): (read: number) => void {
    return (read) => {
      tell(read);
      if (this.context.stopped()) throw new Halt('stopped');
    };
  }
}
