import { bugsIn, type PlantedBug } from '../bug.js';

const deliveries = bugsIn('packages/operator/audit/deliveries.ts');
const auditor = bugsIn('packages/operator/auditor/auditor.ts');
const resent = bugsIn('packages/operator/auditor/resent-deliveries.ts');

export const OPERATOR: readonly PlantedBug[] = [
  deliveries('the delivery audit leaves out the sagas', 'audited', {
    from: '(({ name }) => consumer === undefined || name === consumer)',
    to: "(({ name }) => name !== 'orders-saga' && (consumer === undefined || name === consumer))",
    only: /^operator\/auditor/,
  }),
  auditor('the delivery audit moves its watermark before it has judged the page', 'audited', {
    from: '      const judgedUntil = await this.judged(service, entries);\n',
    to: '      const judgedUntil = entries.at(-1)?.feedSk; if (judgedUntil) yield { judgedUntil, commits: 1000 }; await this.judged(service, entries);\n',
  }),
  auditor('the delivery audit counts what is pending as processed', 'audited-late', {
    from: 'if (its.some(({ isOpen }) => isOpen) ||',
    to: "if (its.some(({ state }) => state === 'too new') ||",
  }),
  auditor('the delivery audit skips the rest of an hour behind its first page', 'audited', {
    from: 'if (isWhole || newest === undefined) {',
    to: "if (isWhole || newest !== '') {",
  }),
  resent('the delivery audit says what is missing, and sends nothing', 'audited', {
    from: /, \{ Put: \{ TableName: table, Item \} \}(\] \}\),\n {4}\);)\n {4}await transports\.send\(.*\);/,
    to: '$1\n    void [table, Item, transports, this.bodyOf(delivery, from)];',
  }),
  resent('the delivery audit sends what is missing to everybody', 'audited', {
    from: "    await transports.send(listener.consumer?.queueUrl ?? '', this.bodyOf(delivery, from));",
    to: '    for (const { consumers } of this.options.services) for (const { queueUrl } of consumers) await transports.send(queueUrl, this.bodyOf(delivery, from));',
  }),
];
