import { orderlyApi } from '../../tools/docs/openapi/api.js';
import { STORY } from '../../tools/docs/openapi/examples.js';
import { ANSWERS } from '../../tools/docs/openapi/story.js';
import { SimulatorWorld } from './simulator-world.js';
import { differences, StoryTeller } from './story.js';

/** File with the answers that the API's document shows. */
export const APPROVED_ANSWERS = new URL('../../tools/docs/openapi/answers.json', import.meta.url);

/**
 * Plays the story of the API's document in the simulator.
 * @returns the answers as JSON: the known ones, unless they differ in more than what each history chooses anew
 * @throws {Error} if an answer has another status than the document says
 */
export async function answersOfStory(): Promise<string> {
  const world = new SimulatorWorld('1');
  const teller = new StoryTeller(world, (await orderlyApi()).routes);
  for (const call of STORY) {
    const { status, text } = await teller.play(call);
    if (status !== call.status) throw new Error(`${call.name}: expected ${call.status}, got ${status} ${text}`);
  }
  world.end();
  const isSame = differences(ANSWERS, teller.answers, new Map()).length === 0;
  return `${JSON.stringify(isSame ? ANSWERS : teller.answers, undefined, 2)}\n`;
}
