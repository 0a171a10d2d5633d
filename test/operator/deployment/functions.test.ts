import { describe, expect, test } from 'vitest';
import { OperatorError } from '../../../packages/operator/cli/errors.js';
import { parseFunctions } from '../../../packages/operator/deployment/functions.js';

const sell = { service: 'sales', entry: 'sell', name: 'cinema-dev-Halls-Sell-1' };
const relay = { service: 'halls', entry: 'kit/outbox/relay', name: 'cinema-dev-Halls-Relay-2' };
const seats = { service: 'halls', entry: 'on-seat', name: 'cinema-dev-Halls-OnSeat-3', consumer: 'seats' };
const asked = { service: 'operations', entry: 'get-status', name: 'cinema-dev-Desk-GetStatus-5' };
const authorizer = { service: 'platform', entry: 'kit/http/authorizer', name: 'cinema-dev-Halls-Authorize-4' };

describe('the functions of a deployment', () => {
  test('the functions are those of each service, each API and each operator’s API, by their output prefixes', () => {
    const Halls = {
      HallsServiceName: 'halls',
      HallsFunctions: JSON.stringify([relay, seats]),
      SalesServiceName: 'sales',
      SalesFunctions: JSON.stringify([sell]),
      // An output of the app, and not of the kit.
      EdgeFunctions: 'two',
    };
    const Api = { PublicApiUrl: 'https://api.test', PublicApiFunctions: JSON.stringify([authorizer]) };
    const Desk = { DeskOperatedStacks: '["cinema-dev-Halls"]', DeskFunctions: JSON.stringify([asked]) };
    const found = parseFunctions({ Halls, Api, Desk, Platform: { PlatformBusName: 'bus' } });
    expect(found).toEqual([relay, seats, sell, authorizer, asked]);
  });

  test.each([
    ['a service', { ServiceName: 'halls' }],
    ['an API', { ApiUrl: 'https://api.test' }],
    ['a service', { ServiceName: 'halls', Functions: '[{"entry":"sell"}]' }],
  ])('the functions are refused if another release has deployed %s', (_, Halls) => {
    expect(() => parseFunctions({ Halls })).toThrow(OperatorError);
  });
});
