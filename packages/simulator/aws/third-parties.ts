import type { HttpRequest, HttpResponse, Reply } from '../runtime/http.js';
import type { World } from '../world/world.js';
import { CALL_FAULTS, type FaultKind, type FaultPlan } from './faults.js';
import type { Caller } from './sandbox.js';

/** Model of a service outside of AWS that functions call over HTTPS. */
export interface ThirdParty {
  /** Carries a request out, at once and whole. @returns the answer, or `undefined` if the connection breaks before it */
  answer(request: HttpRequest): HttpResponse | undefined;
  /** Returns the answer to a request that is refused without any effect, since there are too many. */
  refusal(): HttpResponse;
}

/** Faults that make no sense outside of AWS's own operations. */
const OF_AWS: readonly FaultKind[] = ['conflict', 'entry-refused', 'refused-for-long'];
/** Faults of requests that change something. A read that is carried out late differs in no way from one that wasn't. */
const OF_WRITES: readonly FaultKind[] = ['late', 'very-late', 'killed-after', 'hung-after', 'answer-lost'];
const TWO_SECONDS = 2_000;
const FORTY_SECONDS = 40_000;

/** Carries functions' requests to services outside of AWS, with the faults that happen on the way. */
export class ThirdParties {
  private readonly byHost = new Map<string, ThirdParty>();

  constructor(
    private readonly world: World,
    private readonly faults: FaultPlan,
  ) {}

  /** Puts a model in the place of a host: `api.example.com`. */
  add(host: string, model: ThirdParty): void {
    this.byHost.set(host, model);
  }

  /** Returns the model of a host. */
  of(host: string): ThirdParty | undefined {
    return this.byHost.get(host);
  }

  /** Carries a request out if its host has a model. @returns whether it has */
  send(caller: Caller, http: HttpRequest, reply: Reply): boolean {
    const model = this.of(http.host);
    if (!model) return false;
    const { world } = this;
    const { fn } = caller;
    const id = `${fn.label} call ${++fn.calls}`;
    const reads = http.method === 'GET';
    const kinds = CALL_FAULTS.filter((kind) => !OF_AWS.includes(kind) && !(reads && OF_WRITES.includes(kind)));
    const fault = this.faults.at({ id, kinds });
    world.note(`${id} ${http.method} ${http.host}${http.path}${fault ? ` FAULT ${fault}` : ''}`);
    if (fault === 'killed-before') world.after(0, () => caller.kill(`before ${id}`));
    if (fault === 'killed-before' || fault === 'hung-before') return true;
    if (fault === 'refused') {
      world.after(this.latency(), () => reply.answer(model.refusal()));
      return true;
    }
    const carryOut = (): HttpResponse | undefined => {
      const answer = model.answer(http);
      world.note(`${id} ${answer ? answer.status : 'no answer'}`);
      return answer;
    };
    if (fault === 'late' || fault === 'very-late') {
      world.after(this.latency(), () => reply.fail('ECONNRESET'));
      world.after(fault === 'late' ? TWO_SECONDS : FORTY_SECONDS, carryOut);
      return true;
    }
    world.after(this.latency(), () => {
      const answer = carryOut();
      if (fault === 'killed-after') return caller.kill(`after ${id}`);
      if (fault === 'hung-after') return;
      world.after(this.latency(), () => {
        if (answer && fault !== 'answer-lost') reply.answer(answer);
        else reply.fail('ECONNRESET');
      });
    });
    return true;
  }

  /** Half of a request's time: most take 50 to 400 ms together, and one in fifty takes seconds. */
  private latency(): number {
    return this.world.latency((random) => (random.chance(0.02) ? random.between(500, 1_500) : random.between(25, 200)));
  }
}
