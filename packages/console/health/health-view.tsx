import { CommandBox } from '../commands/command-box.js';
import { Answered } from '../page/answered.js';
import { formatDuration, formatMoment } from '../page/format.js';
import { useFresh } from '../page/loading.js';
import { EmptyState } from '../page/states.js';
import { Table } from '../page/table.js';
import { ConsumerTables } from './consumer-tables.js';
import type { Failing, Problem, Status } from './status.js';

/** Whether the system is healthy, and which command comes next. */
export function HealthView() {
  const [loading, readAgain] = useFresh<Status>('/_console/read/status');
  return (
    <section aria-labelledby="health">
      <h1 id="health">Health</h1>
      <Answered what="The status" of={loading}>
        {(status) => (
          <>
            <p role="status" class={status.state === 'healthy' ? 'verdict good' : 'verdict bad'}>
              {status.state === 'healthy'
                ? 'Healthy'
                : `Not healthy: ${status.problems.length} of its parts need somebody`}
              <span class="faint"> at {formatMoment(Date.parse(status.at))} UTC</span>
            </p>
            <Problems problems={status.problems} onEnd={readAgain} />
            <FailingNow failing={status.failing} />
            <ConsumerTables consumers={status.consumers} onEnd={readAgain} />
            <Others status={status} />
          </>
        )}
      </Answered>
    </section>
  );
}

/** Whether advice is a command, and no sentence. */
const isCommand = (next: string): boolean => / -- |^npx |^npm /.test(next);

function Problems({ problems, onEnd }: { readonly problems: readonly Problem[]; readonly onEnd: () => void }) {
  if (problems.length === 0) return null;
  return (
    <ul class="cards">
      {problems.map(({ code, text, next, page }) => (
        <li key={`${code} ${text}`}>
          <p>{text}</p>
          {isCommand(next) ? <CommandBox command={next} label="Next" onEnd={onEnd} /> : <p>Next: {next}</p>}
          {page === undefined ? null : <p class="faint">Page: {page}</p>}
        </li>
      ))}
    </ul>
  );
}

function FailingNow({ failing }: { readonly failing: readonly Failing[] }) {
  return (
    <>
      <h2>Failing now</h2>
      {failing.length === 0 ? (
        <EmptyState>No call has failed in the last ten minutes.</EmptyState>
      ) : (
        <Table
          caption="Functions of which calls failed in the last ten minutes"
          rows={failing}
          keyOf={({ name }) => name}
          columns={[
            { heading: 'Function', cell: ({ entry, consumer }) => consumer ?? entry },
            { heading: 'Calls', cell: ({ calls }) => calls, isNumber: true },
            { heading: 'Failed', cell: ({ failed }) => failed, isNumber: true },
            { heading: 'Tried again', cell: ({ retried }) => retried, isNumber: true },
            {
              heading: 'Newest error',
              cell: ({ lastError }) =>
                lastError && (
                  <>
                    <strong>{lastError.name}</strong> {lastError.text} <span class="faint">{lastError.frame}</span>
                  </>
                ),
            },
            {
              heading: 'Gives up',
              cell: ({ givesUpInSeconds }) =>
                givesUpInSeconds === undefined ? null : `in ${formatDuration(givesUpInSeconds * 1000)}`,
            },
          ]}
        />
      )}
    </>
  );
}

/** Relays, sweepers, dead letters, alarms, and what could not be read. */
function Others({ status: { relays, sweepers, deadLetters, audit, alarms, unread } }: { readonly status: Status }) {
  const { filled, queues } = deadLetters;
  return (
    <>
      <h2>Relays</h2>
      <Table
        caption="Relays, which send what is committed to the bus"
        rows={relays}
        keyOf={({ service }) => service}
        columns={[
          { heading: 'Service', cell: ({ service }) => service },
          {
            heading: 'Behind',
            cell: ({ lagSeconds }) => (lagSeconds === undefined ? 'reads nothing' : formatDuration(lagSeconds * 1000)),
          },
          { heading: 'Could not publish', cell: ({ failed }) => failed, isNumber: true },
        ]}
      />
      <h2>Timers and sweepers</h2>
      <Table
        caption="Sweepers, which look for what is due"
        rows={sweepers}
        keyOf={({ service, consumer }) => `${service}/${consumer}`}
        columns={[
          { heading: 'Sweeper', cell: ({ consumer }) => consumer },
          {
            heading: 'Last called',
            cell: ({ lastTick }) =>
              lastTick === undefined ? 'not lately' : `${formatMoment(Date.parse(lastTick))} UTC`,
          },
        ]}
      />
      <h2>The rest</h2>
      <ul>
        <li>
          {filled.length === 0
            ? `All ${queues} dead-letter queues are empty.`
            : filled.map(({ queue, messages }) => `${queue}: ${messages} messages`).join(', ')}
        </li>
        <li>
          {audit?.auditedUntil === undefined
            ? 'The delivery audit has not run yet.'
            : `Every delivery before ${formatMoment(Date.parse(audit.auditedUntil))} UTC is judged.`}
        </li>
        <li>{describeAlarms(alarms)}</li>
        {unread.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  );
}

function describeAlarms(alarms: Status['alarms']): string {
  if (alarms === null) return 'The alarms could not be read.';
  const { total, active } = alarms;
  if (active.length === 0) return `None of ${total} alarms is on.`;
  return active.map(({ heading, severity = 'page' }) => `${heading} (${severity})`).join(', ');
}
