import type { Assembly, Resource } from '../assembly/assembly.js';
import type { Home } from '../assembly/identity.js';
import { type Operations, pageOf } from './operation.js';

/** Part of an account that its alarms need. */
interface Account {
  readonly deployment: { readonly assembly: Assembly };
}

const PAGE = 50;
const STATE = 'INSUFFICIENT_DATA';

/**
 * Alarms of the templates. Amazon CloudWatch API Reference, "DescribeAlarms". There are no metrics here, so no alarm
 * ever has the data that it needs.
 */
export function alarms({ deployment: { assembly } }: Account): Operations {
  const all = assembly.ofType('AWS::CloudWatch::Alarm').map((alarm) => described(alarm, assembly.home));
  return {
    DescribeAlarms: ({ AlarmNames, AlarmNamePrefix = '', StateValue = STATE, NextToken, MaxRecords = PAGE }) => {
      const found = all.filter(
        ({ AlarmName }) =>
          StateValue === STATE &&
          AlarmName.startsWith(String(AlarmNamePrefix)) &&
          (AlarmNames === undefined || (AlarmNames as readonly string[]).includes(AlarmName)),
      );
      const { page, next } = pageOf(found, NextToken, Number(MaxRecords));
      return { MetricAlarms: page, CompositeAlarms: [], ...(next !== undefined && { NextToken: next }) };
    },
  };
}

function described({ ref, properties: { AlarmName = ref, Tags, ...properties } }: Resource, home: Home) {
  const name = String(AlarmName);
  return {
    AlarmName: name,
    AlarmArn: home.arn('cloudwatch', `alarm:${name}`),
    ActionsEnabled: true,
    StateValue: STATE,
    StateReason: 'Unchecked: Initial alarm creation',
    ...properties,
  };
}
