import { describe, expect, test } from 'vitest';
import { orderlyApi } from '../../tools/docs/openapi/api.js';
import { generateOpenApi } from '../../tools/docs/openapi/document.js';
import { STORY } from '../../tools/docs/openapi/examples.js';
import { keptAnswers } from '../../tools/docs/openapi/story.js';
import { differences, StoryTeller } from '../support/story.js';
import { world } from '../support/world.js';

test('the routes are those of the document', async () => {
  const { routes } = await orderlyApi();
  const deployed = await world.routes();
  // A setting adds those of webhooks.
  const isDeployed = (path: string) => !path.startsWith('/webhooks') || deployed.includes('POST /webhooks');
  const documented = routes.filter(({ route: { path } }) => isDeployed(path));
  expect(documented.map(({ route: { method, path } }) => `${method} ${path}`).toSorted()).toEqual(deployed);
});

test('the API serves the document without a token', async () => {
  const { status, headers, text } = await world.call({ method: 'GET', path: '/openapi.json', as: 'nobody' });
  expect({ status, cached: headers['cache-control'] }).toEqual({ status: 200, cached: 'public, max-age=300' });
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(generateOpenApi(await orderlyApi()))));
});

const ANSWERS = keptAnswers();

/** The story has customers and products of fixed names, and its days have to pass. */
const { ordersUnderWay } = world.limits;

// The document's answers are those of `prod`.
describe.skipIf(!world.passesDays || ordersUnderWay > 100)(
  'when the documented requests are sent (needs days that pass, and the limits of prod)',
  async () => {
    const { routes } = await orderlyApi();
    const teller = new StoryTeller(world, routes);
    const chosen = new Map<string, string>();

    test.each(STORY.map((call) => [call.operation, call.summary, call] as const))(
      '%s: %s: the answer is the documented one',
      async (_, __, call) => {
        const { status, text } = await teller.play(call);
        expect(status, text).toBe(call.status);
        expect(differences(ANSWERS[call.name], teller.answers[call.name], chosen)).toEqual([]);
      },
    );
  },
);
