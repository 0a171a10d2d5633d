import type { AuditShortcuts } from '../audit/audit.js';
import type { DuplicateCheck } from '../audit/duplicate-check.js';
import type { FindEventDemand } from '../before/before.js';
import type { OperatorCommand } from '../cli/command.js';
import type { CustomerSource } from '../groups/customers.js';
import type { StatusSectionReader } from '../status/status.js';
import { auditCommands } from './audit.js';
import { auditLogCommand } from './audit-log.js';
import { completeCommand } from './complete.js';
import { completionCommand } from './completion.js';
import { consumersCommands } from './consumers.js';
import { doctorCommand } from './doctor.js';
import { failuresCommands } from './failures.js';
import { inboxCommands } from './inbox.js';
import { projectionsCommands } from './projections.js';
import { replayCommand } from './replay.js';
import { restoreCommands } from './restore.js';
import { sagasCommands } from './sagas.js';
import { statusCommands } from './status.js';
import { storedCommand } from './stored.js';

/** Words of the application in the help texts, and what it adds to the commands. */
export interface KitCommandOptions {
  /** Name of a consumer, for examples. */
  readonly consumer?: string;
  /** Name of an inbox's consumer, for examples. */
  readonly inbox?: string;
  /** Name of a projection, for examples. */
  readonly projection?: string;
  /** Name of a service, for examples. */
  readonly service?: string;
  /** A sentence that says which ids the sagas have: "The saga of an order has the order's id." */
  readonly aboutSagaIds?: string;
  /**
   * Options of `audit` for aggregates that have the same id, by their names: `{ order: ['Order', 'Payment'] }` is
   * `--order <id>`. @default none
   */
  readonly auditShortcuts?: AuditShortcuts;
  /** Loads how the application finds what was done twice, for `audit`. @default `audit` doesn't ask for that */
  readonly duplicateCheck?: () => Promise<DuplicateCheck>;
  /** Loads how the application finds the customers of failures, for `failures causes` and `groups`. @default they don't say them */
  readonly customers?: () => Promise<CustomerSource>;
  /**
   * Loads how the application finds what its API admits in a second, for `doctor --before`.
   * @default it compares no events with EventBridge's quotas
   */
  readonly eventDemand?: () => Promise<FindEventDemand>;
  /** Sections that the application adds to `status`. @default none */
  readonly status?: readonly StatusSectionReader[];
}

/** Commands that work for any application of the kit: status, audit, replay, stored items, failures, inboxes, sagas, projections and restores. */
export const kitCommands = ({
  consumer = 'my-consumer',
  inbox = 'my-inbox',
  projection = 'my-list',
  service = 'my-service',
  aboutSagaIds,
  auditShortcuts,
  duplicateCheck,
  customers,
  eventDemand,
  status = [],
}: KitCommandOptions = {}): readonly OperatorCommand[] => [
  ...statusCommands(status),
  doctorCommand(eventDemand),
  ...auditCommands(consumer, auditShortcuts, duplicateCheck),
  replayCommand(consumer),
  storedCommand(consumer),
  ...failuresCommands(consumer, customers),
  ...consumersCommands(consumer),
  ...inboxCommands(inbox),
  ...sagasCommands(aboutSagaIds),
  ...projectionsCommands(projection),
  ...restoreCommands(service),
  auditLogCommand,
  completionCommand,
  completeCommand,
];
