import type { Cloud } from '../cloud/cloud.js';
import { type FaultKind, LOSSES } from '../engine/faults.js';
import type { HttpResponse } from '../runtime/http.js';
import { pathOf } from './api-addresses.js';
import { describeNames, type FaultOwner, findSimilarNames, KINDS_OF, type OwnerType } from './fault-owners.js';
import { FAULT_KINDS } from './faults.js';
import type { LiveCloud } from './live-cloud.js';
import { CONTROL } from './path.js';
import { poison, redeliver, redeliverAll } from './sent-again.js';
import { readStored, STORED } from './stored.js';

/** Status that a live cloud reports. */
export interface LiveStatus {
  readonly simulator: true;
  readonly pid: number;
  /** By its own clock, ISO 8601. */
  readonly now: string;
  /** Time by which its clock is ahead of the machine's, in milliseconds. */
  readonly ahead: number;
  readonly apis: readonly {
    readonly id: string;
    readonly stage: string;
    readonly name: string;
    /** Path below which it answers here. */
    readonly path: string;
  }[];
  /** Names of the stacks. */
  readonly stacks: readonly string[];
  readonly faults: readonly {
    readonly owner: string;
    readonly kind: string;
    readonly left: number;
    /** Time at which it ends, ISO 8601; absent if it ends with its last fault. */
    readonly until?: string;
  }[];
}

/** A request that can't be carried out: what is wrong with it, and what would be right. */
export class BadControl extends Error {
  override readonly name = 'BadControl';
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

type Input = Readonly<Record<string, unknown>>;

/** Time, faults and a new beginning on request: `GET /_local`, `GET /_local/owners`, `POST /_local/<command>` with JSON. */
export class Control {
  constructor(private readonly live: LiveCloud) {}

  async answer({ method, path, body }: Asked): Promise<HttpResponse> {
    try {
      const input = parseInput(body);
      if (method === 'GET' && path === CONTROL) return json(200, this.status());
      if (method === 'GET' && path === `${CONTROL}/owners`)
        return json(200, { owners: this.owners(), kinds: KINDS_OF });
      if (method === 'GET' && path.split('?')[0] === STORED) return json(200, this.stored(path));
      const command = path.slice(CONTROL.length + 1);
      if (method !== 'POST') throw new BadControl(`${method} ${path}: ask with GET ${CONTROL}, or POST a command`);
      return json(200, await this.carryOut(command, input));
    } catch (error) {
      if (error instanceof SyntaxError) return json(400, { message: `the body is no JSON: ${error.message}` });
      if (!(error instanceof BadControl)) throw error;
      return json(400, { message: error.message });
    }
  }

  status(): LiveStatus {
    const { cloud, now, pendingFaults: openFaults } = this.live;
    const stacks = new Set(cloud.deployment.assembly.resources.map(({ stack }) => stack));
    return {
      simulator: true,
      pid: process.pid,
      now: new Date(now).toISOString(),
      ahead: Math.round(now - Date.now()),
      apis: cloud.apis.map((api) => ({ id: api.id, stage: api.stage, name: api.label, path: pathOf(api, cloud.apis) })),
      stacks: [...stacks],
      faults: openFaults.map(({ owner, kind, left, until }) => ({
        owner,
        kind,
        left,
        ...(until !== undefined && { until: new Date(until).toISOString() }),
      })),
    };
  }

  private async carryOut(command: string, input: Input): Promise<object> {
    switch (command) {
      case 'forward':
        return this.forward(input);
      case 'fault':
        return this.fault(input);
      case 'duplicate': {
        const { id, all } = input;
        if (all === true) return this.inside((cloud) => ({ sent: redeliverAll(cloud) }));
        if (typeof id !== 'string' || id === '')
          throw new BadControl(
            'id: the id of an event or a command is missing; `all: true` sends the newest 1,000 again',
          );
        return this.inside((cloud) => ({ type: redeliver(cloud, id) }));
      }
      case 'poison':
        return this.inside(poison);
      case 'calm':
        return this.calm(input);
      case 'reset':
        this.live.reset();
        return this.status();
      default:
        throw new BadControl(`there is no command '${command}': forward, fault, calm, duplicate, poison, reset`);
    }
  }

  private stored(path: string): object {
    const found = readStored(this.live.cloud, path.split('?')[1] ?? '');
    if (!found)
      throw new BadControl(`ids: ids of messages with commas between them were expected, as in ${STORED}?ids=<id>`);
    return found;
  }

  private async forward({ milliseconds }: Input): Promise<object> {
    if (typeof milliseconds !== 'number' || !(milliseconds > 0) || milliseconds > MAX_FORWARD_MS)
      throw new BadControl('milliseconds: a number above 0, and of at most ten years');
    const began = Date.now();
    await this.live.forward(milliseconds).catch((error: Error) => {
      throw new BadControl(error.message);
    });
    return { ...this.status(), took: Date.now() - began };
  }

  /** @throws {BadControl} with what the account says of it */
  private inside<Result>(something: (cloud: Cloud) => Result): Result {
    try {
      return this.live.runInside(something);
    } catch (error) {
      throw new BadControl((error as Error).message);
    }
  }

  private calm({ owner, kind }: Input): object {
    const isOne = typeof owner === 'string' && typeof kind === 'string';
    if (!isOne && (owner !== undefined || kind !== undefined))
      throw new BadControl('owner and kind: both were expected, as GET /_local lists them, or neither');
    this.live.clearFaults(isOne ? { owner, kind: kind as FaultKind } : undefined);
    return this.status();
  }

  private fault({ owner, kind, next, every = 1, milliseconds }: Input): object {
    if (LOSSES.some((one) => one === kind))
      throw new BadControl(
        `kind: '${String(kind)}' is for scenarios of the simulator only; a local cloud makes ${FAULT_KINDS.join(', ')}, and any`,
      );
    const known = kind === 'any' ? kind : FAULT_KINDS.find((one) => one === kind);
    if (!known)
      throw new BadControl(
        `kind: '${String(kind)}' is unknown${meant(String(kind))}; there are ${FAULT_KINDS.join(', ')}, and any`,
      );
    this.checkOwner(owner, known);
    // Of a fault that lasts, nobody knows how often it will happen.
    const unlimited = milliseconds === undefined ? 1 : Number.MAX_SAFE_INTEGER;
    const most = next === undefined ? unlimited : next;
    for (const [name, value] of Object.entries({
      next: most,
      every,
      milliseconds: milliseconds === undefined ? 1 : milliseconds,
    }))
      if (!Number.isInteger(value) || Number(value) < 1)
        throw new BadControl(`${name}: a whole number of at least 1 was expected, not ${String(value)}`);
    this.live.injectFault(owner, known, {
      next: Number(most),
      every: Number(every),
      lasting: milliseconds === undefined ? undefined : Number(milliseconds),
    });
    return this.status();
  }

  /** @throws {BadControl} for a construct that does not exist, or to which no fault of this kind can happen */
  private checkOwner(owner: unknown, kind: FaultKind | 'any'): asserts owner is string {
    const all = this.owners();
    const fits = all.filter(({ type }) => kind === 'any' || KINDS_OF[type].includes(kind));
    if (owner === '*' || fits.some((one) => one.owner === owner)) return;
    const other = all.find((one) => one.owner === owner);
    if (other)
      throw new BadControl(
        `kind: ${kind} can't happen to the ${other.type} '${other.owner}'; there are ${KINDS_OF[other.type].join(', ')}`,
      );
    const names = fits.map((one) => one.owner);
    throw new BadControl(
      `owner: '${String(owner)}' is none for ${kind}${describeNames(String(owner), names, OWNERS, ', or * for any')}`,
    );
  }

  /** Returns the constructs to which faults can happen, by name. */
  owners(): readonly FaultOwner[] {
    const { functions, queues, deployment } = this.live.cloud;
    const of = (type: OwnerType, labelled: Iterable<{ readonly label: string }>): readonly FaultOwner[] =>
      [...labelled].map(({ label: owner }) => ({ owner, type }));
    return [
      ...of('function', functions.values()),
      ...of('queue', queues.values()),
      ...of('rule', deployment.assembly.findByType('AWS::Events::Rule')),
    ].sort((one, other) => one.owner.localeCompare(other.owner));
  }
}

/** Names the kind that somebody may have meant. */
function meant(kind: string): string {
  const [similar] = findSimilarNames(kind, FAULT_KINDS);
  return similar === undefined ? '' : `, did you mean '${similar}'`;
}

/** Where all names are listed. */
const OWNERS = `GET ${CONTROL}/owners`;

/** @throws {SyntaxError} if it is no JSON. @throws {BadControl} if it is no object */
function parseInput(body: string): Input {
  const input: unknown = body === '' ? {} : JSON.parse(body);
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new BadControl('the body: a JSON object was expected');
  return input as Input;
}

const MAX_FORWARD_MS = 10 * 366 * 86_400_000;

const json = (status: number, body: object): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: `${JSON.stringify(body)}\n`,
});
