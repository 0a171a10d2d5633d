import { countEvents, findFailures } from '@orderly/kit/testing';
import { checkScenario, jsonClient } from '@orderly/simulator';

await checkScenario('cdk.out', {
  name: 'two-tickets',
  async play(cloud) {
    const visitor = jsonClient(cloud, { sub: 'vera', role: 'visitor' });
    for (const title of ['printer', 'printer', 'coffee'])
      await visitor.call({ method: 'POST', path: '/tickets', headers: { 'Idempotency-Key': title }, body: { title } });
    await cloud.world.settle();
    const { TicketOpened: opened, TicketAssigned: assigned = 0 } = countEvents(cloud.listItems('Desk/Outbox/Table'));
    // A message that can't be delivered waits for an operator as a failure record: nothing is lost.
    const failed = findFailures(cloud.listItems('Desk/Records')).length;
    const detail = `${opened} opened, ${assigned} assigned, ${failed} failed`;
    return opened === 2 && assigned + failed === 2 ? [] : [{ invariant: 'opened once, assigned once', detail }];
  },
});
