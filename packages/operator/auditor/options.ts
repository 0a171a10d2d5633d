import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { AuditTransports } from '../audit/judge-deliveries.js';
import type { Service } from '../deployment/services.js';
import type { SendMessage } from '../records/message-sender.js';

/** Services that an auditor audits, and how much of them in one run. */
export interface AuditorOptions {
  readonly documents: DynamoDBDocumentClient;
  /** The auditor's own table. */
  readonly table: string;
  /** Name of the application. */
  readonly app: string;
  readonly services: readonly Service[];
  readonly transports: AuditTransports & { readonly send: SendMessage };
  /** Seconds that a message has for its way before it is judged. */
  readonly behindSeconds: number;
  /** Most deliveries that one run sends again. */
  readonly resends: number;
  /** Most queries of feeds in one run. */
  readonly pages: number;
  /** Most commits that are judged at once. @default 100: one BatchGetItem */
  readonly pageSize?: number;
}
