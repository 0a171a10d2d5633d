/** Faults that a test asks of the proxy for the calls of functions, each at most `times` times. */
export type Fault =
  | {
      /** Kills the caller in front of the write, or after it when the answer would pass. */
      readonly kind: 'crash-before-write' | 'crash-after-write';
      readonly functionName: string;
      /** Only a write whose request holds this text (an order's id, say). */
      readonly including?: string;
      readonly times: number;
    }
  | {
      /** Lose the answer of what was carried out, or answer a throttle without carrying it out. */
      readonly kind: 'lose-answer' | 'throttle';
      readonly functionName: string;
      /** As in the SDK: `PutItem`, `PutEvents`. */
      readonly operation: string;
      readonly including?: string;
      readonly times: number;
    }
  | {
      /** Refuses single entries of PutEvents; the others pass. */
      readonly kind: 'fail-entries';
      readonly match: EntryMatch;
      readonly errorCode: string;
      /** How many entries, not calls. */
      readonly times: number;
    };

/** An entry matches where all that is given fits. */
export interface EntryMatch {
  readonly detailType?: string;
  readonly source?: string;
  /** Text that the detail holds. */
  readonly including?: string;
}

/** One call of a function, as the proxy saw it. */
export interface Call {
  /** Order of time, from 1: when the request arrived. */
  readonly n: number;
  readonly functionName: string;
  readonly pid: number;
  /** `PutItem`, `PutEvents`, `ChangeMessageVisibility`; `GET /path` where the protocol names none. */
  readonly operation: string;
  /** `DynamoDB`, `AWSEvents`, `AmazonSQS`; empty where the protocol names none. */
  readonly service: string;
  /** HTTP status; 0 where the caller got no answer. */
  readonly status: number;
  /** DynamoDB only: what the call consumed, by table and index. */
  readonly capacity?: readonly Capacity[];
  /** Fault that the proxy did to it. */
  readonly fault?: Fault['kind'];
}

/** `ConsumedCapacity` as DynamoDB tells it. */
export interface Capacity {
  readonly TableName: string;
  readonly CapacityUnits: number;
  readonly Table?: { readonly CapacityUnits: number };
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits: number }>>;
}

export interface CallFilter {
  readonly functionName?: string;
  readonly operation?: string;
  /** Only calls after this `n`. */
  readonly since?: number;
}

/** Effects that outlive their function: a relay's is onto the bus. */
export const WRITES = new Set([
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'TransactWriteItems',
  'BatchWriteItem',
  'PutEvents',
]);

/** Faults that the proxy still has to do, counted down as they happen. */
export class FaultPlan {
  private armed: { fault: Fault; left: number }[] = [];

  add(fault: Fault): void {
    this.armed.push({ fault, left: fault.times });
  }

  /** Faults that nothing has met yet. */
  unmet(): readonly Fault[] {
    return this.armed.filter(({ fault, left }) => left === fault.times).map(({ fault }) => fault);
  }

  clear(): void {
    this.armed = [];
  }

  /** Uses up one fault of this kind that fits the call. */
  take(
    kind: Exclude<Fault['kind'], 'fail-entries'>,
    call: { functionName: string; operation: string; body: string },
  ): boolean {
    return (
      this.use(({ fault }) => {
        if (fault.kind !== kind) return false;
        const operation = 'operation' in fault ? fault.operation === call.operation : WRITES.has(call.operation);
        return operation && call.functionName === fault.functionName && call.body.includes(fault.including ?? '');
      }) !== undefined
    );
  }

  /** Uses up one refusal that fits the entry; its error code. */
  takeEntry(entry: { Source?: string; DetailType?: string; Detail?: string }): string | undefined {
    const fault = this.use(({ fault: { kind, ...rest } }) => {
      if (kind !== 'fail-entries' || !('match' in rest)) return false;
      const { detailType, source, including = '' } = rest.match;
      if (detailType !== undefined && detailType !== entry.DetailType) return false;
      if (source !== undefined && source !== entry.Source) return false;
      return (entry.Detail ?? '').includes(including);
    });
    return fault?.kind === 'fail-entries' ? fault.errorCode : undefined;
  }

  private use(fits: (armed: { fault: Fault }) => boolean): Fault | undefined {
    const found = this.armed.find((armed) => armed.left > 0 && fits(armed));
    if (found) found.left -= 1;
    return found?.fault;
  }
}
