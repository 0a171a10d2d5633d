// Runs a bundle's handler for tools/bench/cpu.ts, and answers how much CPU it took, in microseconds of this process.
//   node cpu-child.cjs <bundle> <file with the events, as JSON>
// Each message of the parent is a number of calls; the first answer has the CPU since the process began.
const { readFileSync } = require('node:fs');

const [bundle, file] = process.argv.slice(2);
const events = JSON.parse(readFileSync(file, 'utf8'));

// The events were recorded at a virtual time; a token of that time has expired since.
const recordedAt = events[0]?.requestContext?.requestTimeEpoch;
if (recordedAt !== undefined) {
  const SystemDate = Date;
  const shift = recordedAt - SystemDate.now();
  globalThis.Date = class extends SystemDate {
    constructor(...given) {
      super(...(given.length > 0 ? given : [SystemDate.now() + shift]));
    }
    static now() {
      return SystemDate.now() + shift;
    }
  };
}
const { handler } = require(bundle);
const context = {
  awsRequestId: 'bench',
  functionName: 'bench',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:bench',
  memoryLimitInMB: '512',
  getRemainingTimeInMillis: () => 10_000,
};
const write = process.stdout.write.bind(process.stdout);
// What a function logs goes to a pipe at AWS, too; here nobody reads it.
process.stdout.write = () => true;
let called = 0;

async function call(event) {
  const answer = await handler(event, context);
  const failed = answer?.statusCode >= 300 || answer?.batchItemFailures?.length > 0;
  if (failed) throw new Error(`the handler failed: ${JSON.stringify(answer).slice(0, 500)}`);
}

const micros = ({ user, system }) => user + system;

process.on('message', async (calls) => {
  try {
    const first = called === 0;
    // A handler may change its event. Copies are made before, since they are no part of its work.
    const copies = Array.from({ length: calls }, () => structuredClone(events[called++ % events.length]));
    const before = first ? 0 : micros(process.cpuUsage());
    for (const event of copies) await call(event);
    process.send({ cpu: micros(process.cpuUsage()) - before });
  } catch (error) {
    write(`${error.stack}\n`);
    process.exit(1);
  }
});
