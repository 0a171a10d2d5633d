import {
  CALL_FAULTS,
  DELIVERY_FAULTS,
  type Fault,
  type FaultKind,
  type FaultPlan,
  type FaultPoint,
  FOLLOWING_FAULTS,
  INVOCATION_FAULTS,
  MESSAGE_FAULTS,
  ownerOf,
  READ_FAULTS,
} from '../engine/faults.js';

/** Every kind of fault that somebody can ask for. */
export const FAULT_KINDS: readonly FaultKind[] = [
  ...CALL_FAULTS,
  ...READ_FAULTS,
  ...MESSAGE_FAULTS,
  ...FOLLOWING_FAULTS,
  ...DELIVERY_FAULTS,
  ...INVOCATION_FAULTS,
];

/** Faults that were asked for: the next points of one owner at which the kind is possible. */
export interface FaultOrder {
  /** Path of the construct of a function, queue or rule. `*` is any. */
  readonly owner: string;
  /** `any` takes the kinds that are possible at a point, one after the other. */
  readonly kind: FaultKind | 'any';
  /** A fault at each so-manieth point. @default 1: at each */
  readonly every: number;
  /** Number of faults that are left. */
  left: number;
  /** Number of points that were passed. */
  passed: number;
  /** Time at which it ends, milliseconds since 1970 by the account's clock. @default it ends with its last fault */
  readonly until?: number;
}

/** Faults of a live account, made when they are asked for. It remembers no points, since their number has no end. */
export class RequestedFaults implements FaultPlan {
  readonly points: readonly FaultPoint[] = [];
  readonly injected: Fault[] = [];
  private orders: FaultOrder[] = [];

  /** @param now the account's clock @param happened called with each fault */
  constructor(
    private readonly now: () => number,
    private readonly happened: (fault: Fault) => void,
  ) {}

  /** Faults that are still to be made. */
  get pending(): readonly FaultOrder[] {
    return this.current();
  }

  /**
   * @param owner path of a construct; `*` is any
   * @param order `next`: how many faults; `every`: one at each so-manieth point; `lasting`: milliseconds after which it ends
   */
  add(
    owner: string,
    kind: FaultOrder['kind'],
    { next = 1, every = 1, lasting }: { next?: number; every?: number; lasting?: number | undefined } = {},
  ): void {
    const until = lasting === undefined ? {} : { until: this.now() + lasting };
    this.orders.push({ owner, kind, every, left: next, passed: 0, ...until });
  }

  /** Withdraws faults. @param which those of an owner and a kind. @default all */
  clear(which?: Pick<FaultOrder, 'owner' | 'kind'>): void {
    this.orders = this.orders.filter((one) => which && (one.owner !== which.owner || one.kind !== which.kind));
  }

  private current(): readonly FaultOrder[] {
    if (this.orders.some(({ until }) => until !== undefined))
      this.orders = this.orders.filter(({ until }) => until === undefined || until > this.now());
    return this.orders;
  }

  faultAt({ id, kinds }: FaultPoint): FaultKind | undefined {
    if (this.orders.length === 0) return undefined;
    const owner = ownerOf(id);
    const order = this.current().find(
      (one) => (one.owner === '*' || one.owner === owner) && (one.kind === 'any' || kinds.includes(one.kind)),
    );
    if (!order) return undefined;
    order.passed++;
    if (order.passed % order.every !== 0) return undefined;
    order.left--;
    if (order.left <= 0) this.orders = this.orders.filter((one) => one !== order);
    const kind = order.kind === 'any' ? kinds[(order.passed / order.every) % kinds.length] : order.kind;
    if (!kind) return undefined;
    const fault = { point: id, kind };
    this.injected.push(fault);
    this.happened(fault);
    return kind;
  }
}
