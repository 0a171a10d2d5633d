import { expect, test } from 'vitest';
import { createApi, tokenAuthorizer } from '../support/apis.js';
import { functionResource } from '../support/clouds.js';
import { adviseOutside } from './outside-advice.js';

const variables = (Variables: Readonly<Record<string, string>>) => ({ Environment: { Variables } });
const advise = (decide: Readonly<Record<string, string>>, work: Readonly<Record<string, string>> = {}) =>
  adviseOutside(
    createApi({
      ...functionResource('Decide', [], variables(decide)),
      ...functionResource('Work', [], variables(work)),
      Authorizer: tokenAuthorizer('Decide'),
    }).deployment.assembly,
  );

test('an authorizer that asks an issuer outside of the assembly is named, with what a kit app needs and any other', () => {
  const text = advise({ ISSUER: 'https://login.example.com/realm' }).join('\n');
  expect(text).toContain('Shop/Decide decides over requests by tokens of login.example.com, outside of the assembly');
  expect(text).toContain('npx cdk synth --quiet -c simulated=true');
  expect(text).toContain('--outside login.example.com=');
});

test.each([
  [{ ISSUER: 'https://login.example.com', KEYS: '{"keys":[]}' }],
  [{ ISSUER: 'https://issuer.simulated.invalid' }],
  [{ QUEUE: 'https://sqs.eu-west-1.amazonaws.com/1/queue', NAME: 'shop' }],
])('an authorizer with %j needs nothing', (decide) => expect(advise(decide)).toEqual([]));

test('hosts that other functions name are listed with them', () =>
  expect(advise({}, { CARDS: 'https://cards.example.com/v1', MAIL: 'http://mail.example.com' })).toEqual([
    'Functions name hosts outside of AWS: cards.example.com, mail.example.com (Shop/Work).',
    expect.stringContaining('--outside <module> models them'),
  ]));
