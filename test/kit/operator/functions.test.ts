import { describe, expect, test } from 'vitest';
import { OperatorError } from '../../../packages/kit/operator/errors.js';
import { functionsIn } from '../../../packages/kit/operator/functions.js';

const sell = { service: 'sales', entry: 'sell', name: 'cinema-dev-Halls-Sell-1' };
const relay = { service: 'halls', entry: 'kit/outbox/relay', name: 'cinema-dev-Halls-Relay-2' };
const seats = { service: 'halls', entry: 'on-seat', name: 'cinema-dev-Halls-OnSeat-3', consumer: 'seats' };
const authorizer = { service: 'platform', entry: 'kit/http/authorizer', name: 'cinema-dev-Halls-Authorize-4' };

describe('the functions of a deployment', () => {
  test('are those of each service and each API, by the prefixes of their outputs', () => {
    const Halls = {
      HallsServiceName: 'halls',
      HallsFunctions: JSON.stringify([relay, seats]),
      SalesServiceName: 'sales',
      SalesFunctions: JSON.stringify([sell]),
      // An output of the app, and not of the kit.
      EdgeFunctions: 'two',
    };
    const Api = { PublicApiUrl: 'https://api.test', PublicApiFunctions: JSON.stringify([authorizer]) };
    expect(functionsIn({ Halls, Api, Platform: { PlatformBusName: 'bus' } })).toEqual([relay, seats, sell, authorizer]);
  });

  test.each([
    ['a service', { ServiceName: 'halls' }],
    ['an API', { ApiUrl: 'https://api.test' }],
    ['a service', { ServiceName: 'halls', Functions: '[{"entry":"sell"}]' }],
  ])('are refused if another release has deployed %s', (_, Halls) => {
    expect(() => functionsIn({ Halls })).toThrow(OperatorError);
  });
});
