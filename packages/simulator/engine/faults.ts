import type { Random } from './random.js';

/** Faults at one call that a function makes to AWS. */
export const CALL_FAULTS = [
  /** The call is throttled before it takes effect; the SDK's next attempt succeeds. */
  'refused',
  /** This operation of the function is throttled for 30 s: longer than the SDK retries. */
  'refused-for-long',
  /** The call takes effect; the connection breaks before the answer. */
  'answer-lost',
  /** The connection breaks; the call takes effect 2 s later. */
  'late',
  /** The connection breaks; the call takes effect 40 s later, when the function has given up. */
  'very-late',
  /** The execution environment is killed before the call arrives. */
  'killed-before',
  /** The execution environment is killed after the call has taken effect. */
  'killed-after',
  /** The call has no effect and no answer until the function's timeout. */
  'hung-before',
  /** The call takes effect, and no answer comes until the function's timeout. */
  'hung-after',
  /** DynamoDB writes: a transaction is in progress on an item. */
  'conflict',
  /** PutEvents, PublishBatch, PutRecords, SendMessageBatch, BatchWriteItem, BatchGetItem: the first entry is refused, the others pass. */
  'entry-refused',
] as const;
/** Faults of a read of DynamoDB that isn't strongly consistent. */
export const READ_FAULTS = [
  /** The read sees an earlier state, as of up to 5 s ago. */
  'stale',
] as const;
/** Faults of one message on its way into a queue. */
export const MESSAGE_FAULTS = [
  /** The message is delivered a second time after 90 s. */
  'duplicate',
  /** The message is delivered a second time after five days. */
  'late-duplicate',
  /** The message can't be received for 10 minutes. */
  'delayed',
] as const;
/** Faults that a message brings with it, whenever a mapping gives it to its function. */
export const FOLLOWING_FAULTS = [
  /** The first three times that the message comes, its function crashes in the middle of its work, with its whole batch. */
  'crashes-its-function',
  /** The first time that the message comes, DynamoDB throttles every write of its invocation. */
  'throttles-its-function',
] as const;
/** Faults of one delivery by EventBridge or a schedule to a target, or by SNS to a subscription. */
export const DELIVERY_FAULTS = [
  /** The target can't be reached at first; it is tried again. */
  'undeliverable-at-first',
  /** The event is delivered twice. */
  'delivered-twice',
  /** The target can't be reached for longer than it is tried: the event goes to the dead-letter queue, if there is one. */
  'undeliverable',
] as const;
/** Faults of one invocation. */
export const INVOCATION_FAULTS = [
  /** The invocation fails before the handler runs. */
  'crashed',
  /** The invocation does its work, but its result is lost. */
  'result-lost',
] as const;

/** Trouble that an event may make for the invocation that gets it. */
export type InvocationTrouble = 'crashes' | 'writes are throttled';

/** Losses, against which AWS promises: at-least-once delivery. A history has them only if its scenario asks for them. */
export const LOSSES = [
  /** A message that a queue has accepted, an event on its way to one target of a rule, or a batch of a stream is never delivered. */
  'lost',
] as const;

export type FaultKind =
  | (typeof CALL_FAULTS)[number]
  | (typeof READ_FAULTS)[number]
  | (typeof MESSAGE_FAULTS)[number]
  | (typeof FOLLOWING_FAULTS)[number]
  | (typeof DELIVERY_FAULTS)[number]
  | (typeof INVOCATION_FAULTS)[number]
  | (typeof LOSSES)[number];

/**
 * A point of a history where a fault can happen, named by its owner and its number there: `Orders/PlaceOrder call 3`.
 */
export interface FaultPoint {
  readonly id: string;
  readonly kinds: readonly FaultKind[];
}

/** Part of a point's id behind the path of its owner. */
const POINT_NUMBER = / (call|message|delivery|invocation) \d+$/;

/** Returns the path of the construct to which a point belongs: `Orders/PlaceOrder` of `Orders/PlaceOrder call 3`. */
export const ownerOf = (point: string): string => point.replace(POINT_NUMBER, '');

export interface Fault {
  readonly point: string;
  readonly kind: FaultKind;
}

/** Decides at each point whether a fault happens there; records the points and the faults. */
export interface FaultPlan {
  faultAt(point: FaultPoint): FaultKind | undefined;
  readonly points: readonly FaultPoint[];
  readonly injected: readonly Fault[];
}

abstract class Plan implements FaultPlan {
  readonly points: FaultPoint[] = [];
  readonly injected: Fault[] = [];

  faultAt(point: FaultPoint): FaultKind | undefined {
    this.points.push(point);
    const kind = this.choose(point);
    if (kind) this.injected.push({ point: point.id, kind });
    return kind;
  }

  protected abstract choose(point: FaultPoint): FaultKind | undefined;
}

/** A plan with exactly these faults. */
export class FixedFaults extends Plan {
  private readonly kinds: ReadonlyMap<string, FaultKind>;

  constructor(faults: readonly Fault[]) {
    super();
    this.kinds = new Map(faults.map(({ point, kind }) => [point, kind]));
  }

  protected choose({ id }: FaultPoint): FaultKind | undefined {
    return this.kinds.get(id);
  }
}

/**
 * Factors on the scenario's fault probability, one of which each history draws: most have few faults, some have many.
 */
const SWARM = [0.1, 0.3, 0.3, 1, 2];

/** Probabilities of a stale read, one of which each history draws. */
const STALE = [0, 0, 0.02, 0.2, 1];

/** Factors on the scenario's fault probability for a loss, one of which each history draws. */
const LOSING = [0, 0.3, 1, 3];

/** Factors on the scenario's fault probability for a fault that follows its message, one of which each history draws. */
const FOLLOWING = [0, 0, 0, 0.5, 1];

/**
 * A plan with random faults of the kinds and the frequency that this history draws: half of the kinds, few or many.
 * Histories that differ in this way find more than histories with a little of everything, in which one fault hides the
 * effects of another (Groce et al., "Swarm Testing", ISSTA 2012).
 */
export class RandomFaults extends Plan {
  private readonly left = new Set<FaultKind>();
  private readonly probability: number;
  private readonly reads: Random;
  private readonly staleness: number;
  private readonly messages: Random;
  private readonly following: number;
  private readonly losses: Random;
  private readonly losing: number;

  /** @param probability of a fault at each point, before the factor that the history draws */
  constructor(
    private readonly random: Random,
    probability: number,
  ) {
    super();
    const swarm = random.fork('swarm');
    this.probability = probability * swarm.pick(SWARM);
    for (const kind of [...CALL_FAULTS, ...MESSAGE_FAULTS, ...DELIVERY_FAULTS, ...INVOCATION_FAULTS]) {
      if (swarm.chance(0.5)) this.left.add(kind);
    }
    // Numbers of their own: kinds that are newer than a seed leave the rest of its history as it was.
    this.reads = random.fork('stale reads');
    this.staleness = this.reads.pick(STALE);
    this.messages = random.fork('faults that follow messages');
    this.following = probability * this.messages.pick(FOLLOWING);
    this.losses = random.fork('losses');
    this.losing = probability * this.losses.pick(LOSING);
  }

  protected choose({ kinds }: FaultPoint): FaultKind | undefined {
    if (this.random.chance(this.probability)) {
      const possible = kinds.filter((kind) => !isNewer(kind) && !this.left.has(kind));
      if (possible.length > 0) return this.random.pick(possible);
    }
    if (kinds.includes('lost') && this.losses.chance(this.losing)) return 'lost';
    if (kinds.includes('stale')) return this.reads.chance(this.staleness) ? 'stale' : undefined;
    const follows = kinds.includes('crashes-its-function') && this.messages.chance(this.following);
    return follows ? this.messages.pick(FOLLOWING_FAULTS) : undefined;
  }
}

const isNewer = (kind: FaultKind): boolean =>
  [...READ_FAULTS, ...FOLLOWING_FAULTS, ...LOSSES].some((one) => one === kind);

/** A plan that tells each fault that it makes. */
export class ToldFaults implements FaultPlan {
  constructor(
    private readonly plan: FaultPlan,
    private readonly tell: (fault: Fault) => void,
  ) {}

  faultAt(point: FaultPoint): FaultKind | undefined {
    const kind = this.plan.faultAt(point);
    if (kind) this.tell({ point: point.id, kind });
    return kind;
  }

  get points(): readonly FaultPoint[] {
    return this.plan.points;
  }

  get injected(): readonly Fault[] {
    return this.plan.injected;
  }
}

/** A plan whose faults begin when something is over: until then nothing goes wrong, and nothing is a point. */
export class FaultsAfterwards implements FaultPlan {
  constructor(
    private readonly plan: FaultPlan,
    private readonly isUnderWay: () => boolean,
  ) {}

  faultAt(point: FaultPoint): FaultKind | undefined {
    return this.isUnderWay() ? undefined : this.plan.faultAt(point);
  }

  get points(): readonly FaultPoint[] {
    return this.plan.points;
  }

  get injected(): readonly Fault[] {
    return this.plan.injected;
  }
}

/** A plan in whose history messages and events may be lost. */
export class WithLosses implements FaultPlan {
  constructor(private readonly plan: FaultPlan) {}

  faultAt(point: FaultPoint): FaultKind | undefined {
    const { id, kinds } = point;
    const carries = kinds.some((kind) => kind === 'duplicate' || kind === 'delivered-twice');
    return this.plan.faultAt(carries ? { id, kinds: [...kinds, ...LOSSES] } : point);
  }

  get points(): readonly FaultPoint[] {
    return this.plan.points;
  }

  get injected(): readonly Fault[] {
    return this.plan.injected;
  }
}
