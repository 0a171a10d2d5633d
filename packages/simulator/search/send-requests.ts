import type { Cloud } from '../cloud/cloud.js';
import type { ApiRequest, ApiResponse } from '../services/apigateway/messages.js';
import type { Stimulus } from './recorded-requests.js';
import { doStep } from './steps.js';
import { fillTokens } from './tokens.js';

/** An app that doesn't answer its recorded requests even without faults: no fault could be found in it. */
export class AppDoesNotAnswer extends Error {
  override readonly name = 'AppDoesNotAnswer';
}

/** Tries of a client, which asks again after a 429, a 5xx, or no answer. */
const TRIES = 6;
const FIRST_PAUSE = 500;

/** Sends the requests one after the other, as a client that asks again until an answer is final. @returns the status of each, 0 for none */
export async function sendAll(cloud: Cloud, requests: readonly Stimulus[]): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const request of requests) {
    let status: number | undefined;
    const attempt = (tries: number): void => {
      cloud.world.note(`client ${request.name}`);
      ask(cloud, request, (answer) => {
        cloud.world.note(`client ${request.name} -> ${answer.status}${answer.status >= 400 ? ` ${answer.body}` : ''}`);
        const isFinal = answer.status < 500 && answer.status !== 429;
        if (isFinal || tries >= TRIES) status = answer.status;
        else cloud.world.after(FIRST_PAUSE * 2 ** tries, () => attempt(tries + 1));
      });
    };
    attempt(1);
    await cloud.world.until(() => status !== undefined);
    statuses.push(status ?? 0);
  }
  await cloud.world.settle();
  return statuses;
}

function ask(cloud: Cloud, stimulus: Stimulus, then: (answer: Pick<ApiResponse, 'status' | 'body'>) => void): void {
  if ('step' in stimulus) doStep(cloud, stimulus.step, then);
  else findApi(cloud, stimulus).request(fillTokens(cloud, stimulus), then);
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
