import { useSignal } from '@preact/signals';
import { CommandBox } from '../commands/command-box.js';
import { Answered } from '../page/answered.js';
import { formatMoment, formatNumber } from '../page/format.js';
import { useAnswer } from '../page/loading.js';
import { linkTo } from '../page/route.js';
import { EmptyState } from '../page/states.js';
import { Table } from '../page/table.js';

/** The part of an audit that the page shows: the JSON of the command `audit`. */
interface Audit {
  readonly audit: {
    readonly from?: string;
    readonly to?: string;
    readonly verdict: string;
    readonly commits: number;
    readonly messages: number;
    readonly deliveries: Readonly<Record<string, number>>;
    readonly missing: readonly {
      readonly at: string;
      readonly consumer: string;
      readonly messageId: string;
      readonly type: string;
      readonly subject: string;
    }[];
    readonly twice?: {
      readonly checked: number;
      readonly left: number;
      readonly found: readonly { readonly id: string; readonly next: string }[];
    };
  };
}

interface OperatorsLog {
  readonly actions: readonly {
    readonly at: string;
    readonly actor: string;
    readonly action: string;
    readonly target: string;
    readonly reason?: string;
    readonly result?: string;
  }[];
}

const SPANS = ['15m', '1h', '6h'];

/** Whether anything was lost or done twice, and what operators did. */
export function AuditView() {
  const since = useSignal('15m');
  const audit = useAnswer<Audit>(`/_console/read/audit?since=${since.value}&grace=10s`);
  const log = useAnswer<OperatorsLog>('/_console/read/audit-log?since=7d');
  return (
    <>
      <section aria-labelledby="audit">
        <h1 id="audit">Lost, or done twice?</h1>
        <p>
          The audit compares everything that was committed with what became of it at each consumer. It does not trust
          the functions: it reads their tables.
        </p>
        <label>
          Of the last{' '}
          <select
            value={since.value}
            onChange={({ currentTarget }) => {
              since.value = currentTarget.value;
            }}
          >
            {SPANS.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <Answered what="The audit" of={audit.value}>
          {(answer) => <Verdict audit={answer.audit} since={since.value} />}
        </Answered>
      </section>
      <section aria-labelledby="log">
        <h2 id="log">What operators did</h2>
        <Answered what="The operators' log" of={log.value}>
          {({ actions }) =>
            actions.length === 0 ? (
              <EmptyState>No operator has changed anything in the last seven days.</EmptyState>
            ) : (
              <Table
                caption="Actions of operators, the newest first"
                rows={actions}
                keyOf={({ at, action, target }) => `${at} ${action} ${target}`}
                columns={[
                  { heading: 'At', cell: ({ at }) => formatMoment(Date.parse(at)) },
                  { heading: 'Who', cell: ({ actor }) => actor },
                  { heading: 'Did', cell: ({ action, target }) => `${action} ${target}` },
                  { heading: 'Why', cell: ({ reason }) => reason },
                  { heading: 'Result', cell: ({ result }) => result },
                ]}
              />
            )
          }
        </Answered>
      </section>
    </>
  );
}

function Verdict({
  audit: { verdict, commits, messages, deliveries, missing, twice },
  since,
}: {
  readonly audit: Audit['audit'];
  readonly since: string;
}) {
  return (
    <>
      <p class="verdict" role="status">
        {verdict}
      </p>
      <ul class="counts-of-audit">
        <li>{formatNumber(commits)} commits</li>
        <li>{formatNumber(messages)} messages in them</li>
        {Object.entries(deliveries)
          .filter(([, count]) => count > 0)
          .map(([state, count]) => (
            <li key={state}>
              {formatNumber(count)} deliveries {state}
            </li>
          ))}
        {twice === undefined ? null : (
          <li>
            {twice.found.length} done twice, of {formatNumber(twice.checked)} checked
            {twice.left > 0 ? `; ${twice.left} are left` : ''}
          </li>
        )}
      </ul>
      {twice?.found.map(({ id, next }) => (
        <CommandBox key={id} command={next} label={`${id} has something twice`} />
      ))}
      {missing.length === 0 ? null : (
        <>
          <Table
            caption="Deliveries that are missing"
            rows={missing}
            keyOf={({ consumer, messageId }) => `${consumer} ${messageId}`}
            columns={[
              { heading: 'At', cell: ({ at }) => formatMoment(Date.parse(at)) },
              { heading: 'Consumer', cell: ({ consumer }) => consumer },
              { heading: 'Message', cell: ({ messageId, type }) => <a href={linkTo('order', messageId)}>{type}</a> },
              { heading: 'About', cell: ({ subject }) => subject },
            ]}
          />
          <CommandBox command={`audit --since ${since} --grace 10s --resend`} label="Send what is missing again" />
        </>
      )}
    </>
  );
}
