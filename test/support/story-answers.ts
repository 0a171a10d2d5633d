import { orderlyApi } from '../../tools/docs/openapi/api.js';
import { STORY } from '../../tools/docs/openapi/examples.js';
import { type Answers, keptAnswers } from '../../tools/docs/openapi/story.js';
import { SimulatorWorld } from './simulator-world.js';
import { differences, StoryTeller } from './story.js';

/**
 * Plays the story of the API's document in the simulator.
 * @returns its answers: the kept ones, unless they differ in more than the ids, times and cursors of a history
 * @throws {Error} if an answer has another status than the document says
 */
export async function answersOfStory(): Promise<Answers> {
  const world = new SimulatorWorld('1', { hasWebhooks: true });
  const teller = new StoryTeller(world, (await orderlyApi()).routes);
  for (const call of STORY) {
    const { status, text } = await teller.play(call);
    if (status !== call.status) throw new Error(`${call.name}: expected ${call.status}, got ${status} ${text}`);
  }
  world.end();
  const kept = keptAnswers();
  return differences(kept, teller.answers, new Map()).length === 0 ? kept : teller.answers;
}
