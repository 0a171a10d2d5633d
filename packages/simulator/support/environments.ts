import { EventLoop } from '../engine/event-loop.js';
import { Bundle } from '../runtime/bundle.js';
import { Environment, type InvocationEnding } from '../runtime/environment.js';
import type { HttpRequest, ResponseHandler } from '../runtime/http.js';

/** Starts an environment whose surroundings are a world of its own. @param send answers its requests. @default nobody does */
export function environment(
  source: string | Bundle,
  seed = '1',
  send?: (request: HttpRequest, reply: ResponseHandler) => void,
  name = 'value',
  world = new EventLoop({ seed }),
  variables: Readonly<Record<string, string>> = {},
) {
  const log: string[] = [];
  const made = new Environment(
    typeof source === 'string' ? new Bundle('under test', source) : source,
    { NAME: name, ...variables },
    {
      now: () => world.now,
      begun: world.now,
      after: (delay, run) => {
        const planned = world.after(delay, run);
        return () => planned.cancel();
      },
      enter: () => world.enter(),
      random: world.random.fork(`environment ${seed}`),
      send: send ?? (() => undefined),
      log: (_, line) => log.push(line),
      onDeath: (reason) => log.push(`died: ${reason}`),
    },
  );
  made.init('index.handler');
  /** Plans an invocation. @returns a function that returns how it has ended */
  const begin = (event: unknown = {}): (() => InvocationEnding | undefined) => {
    let ending: InvocationEnding | undefined;
    const context = {
      requestId: 'r',
      functionName: 'f',
      functionArn: 'a',
      memoryMegabytes: 512,
      deadline: world.now + 10_000,
    };
    world.after(0, () => made.invoke(event, context, (how) => (ending = how)));
    return () => ending;
  };
  const invoke = async (event?: unknown): Promise<InvocationEnding | undefined> => {
    const ending = begin(event);
    await world.settle();
    return ending();
  };
  return { world, log, made, begin, invoke };
}

/** Returns the value of an invocation that returned one, or how it ended. */
export const value = (ending: InvocationEnding | undefined): unknown =>
  ending?.kind === 'returned' ? ending.value : ending;
