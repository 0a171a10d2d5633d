import { expect, test } from 'vitest';
import { type Allowed, type Finding, judge } from '../../../tools/release/check/findings.js';
import { replacementOf } from '../../../tools/release/check/replacements.js';
import { render } from '../../../tools/release/release-check.js';

const finding: Finding = {
  kind: 'data-replaced',
  environment: 'prod',
  where: 'Orders/Table',
  what: 'another KeySchema replaces it',
  mend: 'keep KeySchema as it was',
};
const exception: Allowed = {
  kind: 'data-replaced',
  environments: ['prod'],
  where: 'Orders/Table',
  reason: 'it is empty',
};
const RELEASE = { version: '0.3.0', commit: '0' };

test('a finding is red, unless an exception of its kind, place and environment allows it', () => {
  expect(judge([finding], [], ['prod']).red).toEqual([finding]);
  expect(judge([finding], [{ ...exception, environments: ['dev'] }], ['prod']).red).toEqual([finding]);
  expect(judge([finding], [{ ...exception, where: 'Orders' }], ['prod']).red).toEqual([finding]);
  expect(judge([finding], [{ ...exception, kind: 'data-removed' }], ['prod']).red).toEqual([finding]);
  const verdict = judge([finding], [exception], ['prod']);
  expect(verdict).toEqual({ red: [], allowed: [{ ...finding, reason: 'it is empty' }], unused: [] });
  expect(render(RELEASE, [], verdict)).toMatch(/it is empty\nAWS takes this release over 0\.3\.0\.$/);
});

test('an exception that nothing needs any more is red, in each environment that was compared', () => {
  const both = { ...exception, environments: ['prod', 'dev'] };
  expect(judge([finding], [both], ['prod', 'dev']).unused).toEqual(['data-replaced of Orders/Table in dev']);
  expect(judge([finding], [both], ['prod']).unused).toEqual([]);
  expect(render(RELEASE, [], judge([], [exception], ['prod']))).toContain(
    'RED the exception for data-replaced of Orders/Table in prod is used no more',
  );
});

test('what is red is printed with what was found, where, and the line that mends it', () => {
  expect(
    render(
      RELEASE,
      [{ environment: 'prod', findings: [finding], goesBack: 'backwards' }],
      judge([finding], [], ['prod']),
    ),
  ).toBe(
    [
      'RED data-replaced, prod: Orders/Table',
      '    another KeySchema replaces it',
      '    mend: keep KeySchema as it was',
      'prod: 0.3.0 goes back stack by stack (`cdk deploy --exclusively`), the last one of the list first: exports of this release are in use',
      '1 to mend before this release follows 0.3.0.',
    ].join('\n'),
  );
});

test.each([
  ['AWS::DynamoDB::GlobalTable', 'KeySchema', 'always'],
  ['AWS::SNS::Topic', 'DisplayName', 'never'],
  ['AWS::SNS::Topic', 'Invented', 'unknown'],
  ['Custom::Thing', 'Anything', 'unknown'],
])('%s %s: replaces %s, by the specification of CloudFormation’s resources', (type, property, expected) =>
  expect(replacementOf({ type, property, before: 'one', after: 'other' })).toBe(expected),
);
