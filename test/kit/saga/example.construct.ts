import { bookTripContract, bookTrips } from './example.js';
import { travelContract, tripEvents, trips } from './example.trip.js';
import { flightAnswers, hotelAnswers } from './participants.js';

// The example of the pattern's README, word for word from here on.

import { type EnvironmentProps, Service } from '@orderly/kit/constructs';
import type { Construct } from 'constructs';

export function travelService(scope: Construct, props: EnvironmentProps): Service {
  const contracts = [travelContract, bookTripContract];
  const travel = new Service(scope, 'Travel', { ...props, name: 'travel', contracts });
  const saga = travel.addSaga('Saga', {
    name: 'travel-saga',
    entry: 'travel/on-trip-message',
    aggregate: bookTrips.aggregate,
    subscribesTo: [tripEvents, flightAnswers, hotelAnswers],
  });
  travel.grantEffect(saga, trips.aggregate);
  return travel;
}
