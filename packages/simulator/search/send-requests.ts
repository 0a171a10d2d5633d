import type { Cloud } from '../cloud/cloud.js';
import type { ApiRequest, ApiResponse } from '../services/apigateway/messages.js';
import { AnswerLacks, fillIn } from './placeholders.js';
import { doStep } from './steps.js';
import type { Stimulus } from './stimulus.js';

/** An app that doesn't answer its recorded requests even without faults: no fault could be found in it. */
export class AppDoesNotAnswer extends Error {
  override readonly name = 'AppDoesNotAnswer';
}

/** Tries of a client, which asks again after a 429, a 5xx, or no answer. */
const TRIES = 6;
const FIRST_PAUSE = 500;

/** Milliseconds after a step that puts an item: longer than a read may be stale, since the item was there before what comes next. */
const LONG_BEFORE = 6_000;

/** The end of a request. */
export interface Sent {
  /** Status of the final answer, 0 for none. */
  readonly status: number;
  /** Why it wasn't sent at all: what it needs of an earlier answer is missing. */
  readonly missing?: string;
}

/**
 * Sends the requests one after the other, as a client that asks again until an answer is final.
 * @throws {RequestsUnreadable}
 */
export async function sendAll(cloud: Cloud, requests: readonly Stimulus[]): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  const answers = new Map<string, Answer>();
  for (const request of requests) {
    if ('step' in request && 'wait' in request.step) {
      await wait(cloud, request.step.wait);
      sent.push({ status: 200 });
      continue;
    }
    try {
      const answer = await sendOne(cloud, fillIn(cloud, request, answers));
      // A refusal of the same request, sent again, doesn't take back what was answered before.
      if (answer && request.as !== undefined && (answer.status < 400 || !answers.has(request.as)))
        answers.set(request.as, answer);
      if ('step' in request && 'put' in request.step) await wait(cloud, LONG_BEFORE);
      sent.push({ status: answer?.status ?? 0 });
    } catch (error) {
      if (!(error instanceof AnswerLacks)) throw error;
      cloud.world.note(`client ${request.name} is not sent: ${error.message}`);
      sent.push({ status: 0, missing: error.message });
    }
  }
  await cloud.world.settle();
  return sent;
}

async function wait({ world }: Cloud, time: number | 'rest'): Promise<void> {
  if (time === 'rest') return world.settle();
  let isOver = false;
  world.after(time, () => {
    isOver = true;
  });
  await world.until(() => isOver);
}

type Answer = Pick<ApiResponse, 'status' | 'headers' | 'body'>;

/** @returns the final answer */
async function sendOne(cloud: Cloud, request: Stimulus): Promise<Answer | undefined> {
  let final: Answer | undefined;
  const attempt = (tries: number): void => {
    cloud.world.note(`client ${request.name}`);
    ask(cloud, request, (answer) => {
      const { status, body } = answer;
      cloud.world.note(`client ${request.name} -> ${status}${status >= 400 ? ` ${body}` : ''}`);
      const isFinal = status < 500 && status !== 429;
      if (isFinal || tries >= TRIES) final = { headers: {}, ...answer };
      else cloud.world.after(FIRST_PAUSE * 2 ** tries, () => attempt(tries + 1));
    });
  };
  attempt(1);
  await cloud.world.until(() => final !== undefined);
  return final;
}

function ask(cloud: Cloud, stimulus: Stimulus, then: (answer: Omit<Answer, 'headers'>) => void): void {
  if ('step' in stimulus) doStep(cloud, stimulus.step, then);
  else findApi(cloud, stimulus).request(stimulus, then);
}

/** Finds the API that has a route for a request; without any, the first one refuses it. @throws {AppDoesNotAnswer} */
function findApi({ apis }: Cloud, request: ApiRequest): Cloud['apis'][number] {
  const found = apis.find((api) => api.findRoute(request.method, request.path)) ?? apis[0];
  if (!found)
    throw new AppDoesNotAnswer(
      'the assembly has no API, so no request can be sent: begin its work by steps (docs/search.md), or write a scenario',
    );
  return found;
}
