import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { APP } from '../../../lambdas/app.js';
import { command } from '../../../lambdas/operations/program.js';
import type { RebuildAnswer } from '../../../packages/kit/projection/contract.js';
import type { AuditTotals } from '../../../packages/operator/audit/audit.js';
import { type AuditAccess, audit } from '../../../packages/operator/audit/audit-command.js';
import type { AuditRequest } from '../../../packages/operator/audit/request.js';
import { readCommandLine } from '../../../packages/operator/cli/command-line.js';
import type { InvocationResult } from '../../../packages/simulator/services/lambda/model.js';
import type { Queue } from '../../../packages/simulator/services/sqs/model.js';
import { ORDERLY } from '../../../tools/operator/command-line.js';
import { createDocumentClient } from './operator.js';
import type { Orderly } from './orderly.js';

/** Seconds after which a message without a record is missing, as `orderly audit` has it. */
const GRACE_SECONDS = 900;
/** Milliseconds by which the clock of a function may be behind: a commit's time is the function's. */
const CLOCKS_DIFFER_MS = 10_000;
/** Most audits until nothing is missing: what is sent again may be lost again. */
const AUDITS = 20;

export interface AuditFound extends AuditTotals {
  readonly missing: readonly { readonly consumer: string; readonly type: string; readonly messageId: string }[];
}

/** Operator who audits deliveries with the command line's own code, and who has what is missing sent again. */
export class Auditor {
  private readonly documents: DynamoDBDocumentClient;
  private readonly began: string;

  constructor(private readonly orderly: Orderly) {
    const { cloud } = orderly;
    this.documents = createDocumentClient(cloud);
    this.began = new Date(cloud.world.now - CLOCKS_DIFFER_MS).toISOString();
  }

  /** Audits everything since the history began, and has the missing deliveries sent again, until none is missing. */
  async heal(): Promise<void> {
    const { world } = this.orderly.cloud;
    for (let audits = 0; audits < AUDITS; audits++) {
      await world.pass((GRACE_SECONDS + 60) * 1_000);
      const { missing } = await this.audit(true);
      if (missing.length === 0) return;
      await this.orderly.rest();
    }
    throw new Error(`after ${AUDITS} audits deliveries are still missing`);
  }

  /** Audits as the command line asks for it: `audit --order 3f…`. */
  async auditAs(...words: readonly string[]): Promise<AuditFound> {
    const line = readCommandLine(words, ORDERLY);
    if (line.help !== undefined) throw new Error(line.help);
    return this.audit(false, line.request as AuditRequest);
  }

  /** @param resend whether missing deliveries are sent again @param asked instead of everything since the history began */
  async audit(resend = false, asked: Partial<AuditRequest> = {}): Promise<AuditFound> {
    const { cloud, services } = this.orderly;
    const request = {
      from: this.began,
      to: undefined,
      subject: undefined,
      consumer: undefined,
      graceSeconds: GRACE_SECONDS,
      resend,
      rate: 100,
      ...asked,
    };
    const context = {
      app: APP.name,
      documents: this.documents,
      clock: { now: () => new Date(cloud.world.now).toISOString() },
      services,
      command,
      say: () => undefined,
      actor: async () => 'olga',
    };
    const { json } = await audit(context, request, this.access);
    const found = json.audit as AuditFound;
    cloud.world.note(`operator: audit: ${found.missing.length} missing`);
    return found;
  }

  private get access(): AuditAccess {
    const { cloud } = this.orderly;
    const findQueueByUrl = (url: string): Queue => {
      const found = [...cloud.queues.values()].find(({ resource }) => resource.ref === url);
      if (!found) throw new Error(`there is no queue ${url}`);
      return found;
    };
    return {
      now: () => new Date(cloud.world.now).toISOString(),
      countMessages: async (url) => findQueueByUrl(url).listMessages().length,
      oldestMessageAge: async (url) => {
        const { world } = cloud;
        return Math.max(
          0,
          ...findQueueByUrl(url)
            .listMessages()
            .map(({ sentAt }) => (world.now - sentAt) / 1_000),
        );
      },
      readerLag: async (reader) => {
        const streams = cloud.streams.filter(({ fn }) => fn.resource.ref === reader);
        return Math.max(0, ...streams.map(({ iteratorAge }) => iteratorAge / 1_000));
      },
      shown: async ({ rebuild }, ids) => {
        const fn = [...cloud.functions.values()].find(({ resource }) => resource.ref === rebuild);
        for (;;) {
          let result: InvocationResult | undefined;
          fn?.invoke({ action: 'shown', ids }, (ended) => {
            result = ended;
          });
          await cloud.world.until(() => result !== undefined);
          // A fault of this history: the operator calls the command again.
          if (result?.kind === 'returned') return (result.value as RebuildAnswer).shown ?? {};
        }
      },
      send: async (url, body) => void findQueueByUrl(url).send({ body }),
      wait: (seconds) => cloud.world.pass(seconds * 1_000),
    };
  }
}
