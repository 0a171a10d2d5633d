import type { EventLoop } from '../engine/event-loop.js';
import type { FaultKind } from '../engine/faults.js';
import type { HttpResponse, ResponseHandler } from '../runtime/http.js';
import type { Caller } from '../services/lambda/sandbox.js';

const TWO_SECONDS = 2_000;
const FORTY_SECONDS = 40_000;

/** A request of a function on its way, and what happens to it there. */
interface Passage {
  /** Its name in the history. */
  readonly id: string;
  readonly caller: Caller;
  readonly reply: ResponseHandler;
  readonly fault: FaultKind | undefined;
  /** Returns the milliseconds until it is sent. @default 0 */
  readonly computing?: () => number;
  /** Draws the milliseconds of one way. */
  readonly latency: () => number;
  /** Answers without an effect: the request is refused. */
  readonly refusal?: HttpResponse | undefined;
  /**
   * Carries the request out, once it has arrived.
   * @param then gets the answer (`undefined` if there was none), and the fault on the way back
   */
  readonly carryOut: (then: (answer: HttpResponse | undefined, fault?: FaultKind) => void) => void;
}

/** Lets a request pass: to its service and back, unless a fault ends it on the way. */
export function pass(world: EventLoop, passage: Passage): void {
  const { id, caller, reply, fault, computing = () => 0, latency, refusal, carryOut } = passage;
  if (fault === 'killed-before') return void world.after(0, () => caller.kill(`before ${id}`));
  if (fault === 'hung-before') return;
  if (refusal) return void world.after(latency(), () => reply.answer(refusal));
  if (fault === 'late' || fault === 'very-late') {
    world.after(latency(), () => reply.fail('ECONNRESET'));
    world.after(fault === 'late' ? TWO_SECONDS : FORTY_SECONDS, () => carryOut(() => undefined));
    return;
  }
  world.after(computing() + latency(), () =>
    carryOut((answer, behind = fault) => {
      if (behind === 'killed-after') return caller.kill(`after ${id}`);
      if (behind === 'hung-after') return;
      world.after(latency(), () => {
        if (answer && behind !== 'answer-lost') reply.answer(answer);
        else reply.fail('ECONNRESET');
      });
    }),
  );
}
