import { jsonClient, prove } from '@orderly/simulator';
import { issuer } from './issuer.js';

await prove('cdk.out', {
  name: 'two-tickets',
  faultProbability: 0.02,
  async play(cloud) {
    const visitor = jsonClient(cloud, (now) => issuer.token({ sub: 'vera', role: 'visitor' }, now));
    for (const title of ['printer', 'printer', 'coffee']) {
      await visitor.call({ method: 'POST', path: '/tickets', headers: { 'Idempotency-Key': title }, body: { title } });
    }
    await cloud.world.settle();
    const commits = cloud.itemsOf('Desk/Outbox/Table') as { events?: { type: string }[] }[];
    const failures = cloud.itemsOf('Desk/Records').filter(({ status }) => status === 'FAILED');
    const count = (wanted: string) =>
      commits.flatMap(({ events = [] }) => events).filter(({ type }) => type === wanted).length;
    const [opened, assigned] = [count('TicketOpened'), count('TicketAssigned')];
    // A message that can't be delivered waits for an operator as a failure record: nothing is lost.
    const isKept = opened === 2 && assigned + failures.length === 2;
    const detail = `${opened} opened, ${assigned} assigned, ${failures.length} failed`;
    return isKept ? [] : [{ invariant: 'each of two tickets is opened and assigned once', detail }];
  },
});
