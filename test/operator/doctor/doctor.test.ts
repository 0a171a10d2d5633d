import { describe, expect, test } from 'vitest';
import type { Service } from '../../../packages/operator/deployment/services.js';
import {
  checkAlarms,
  checkClock,
  checkContracts,
  checkFunction,
  checkMapping,
  checkStacks,
  checkTable,
  checkTerminationProtection,
  checkVersions,
} from '../../../packages/operator/doctor/checks.js';

const resource = (properties: Readonly<Record<string, unknown>>) => ({
  stack: 'Halls',
  logicalId: 'One',
  type: 'any',
  physicalId: 'one',
  properties,
});
const checks = (findings: readonly { readonly check: string }[]) => findings.map(({ check }) => check);

describe('findings of doctor', () => {
  const ON = { ttl: true, pointInTimeRecovery: true, stream: true, deletionProtection: true };
  const OFF = { ttl: false, pointInTimeRecovery: false, stream: false, deletionProtection: false };
  const recovery = { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } };

  test('doctor finds what a table has lost, and nothing that its template does not ask for', () => {
    const table = resource({
      TimeToLiveSpecification: { Enabled: true },
      StreamSpecification: {},
      Replicas: [{ ...recovery, DeletionProtectionEnabled: true }],
    });
    expect(checkTable(table, ON)).toEqual([]);
    expect(checks(checkTable(table, OFF))).toEqual(['ttl', 'pointInTimeRecovery', 'stream', 'deletionProtection']);
    expect(checkTable(resource({}), OFF)).toEqual([]);
    expect(checkTable(table, undefined)[0]?.text).toBe('the table one is gone');
  });

  test('doctor asks for the protection of kept data that a first deployment leaves out', () => {
    const unprotected = resource({ Replicas: [{ ...recovery, DeletionProtectionEnabled: false }] });
    const [finding, ...others] = checkTable(unprotected, { ...ON, deletionProtection: false });
    expect(others).toEqual([]);
    expect(finding?.text).toBe('the table one is not protected against deletion');
    expect(finding?.advice).toContain('deploy the stack again');
    expect(checkTable(unprotected, ON)).toEqual([]);
  });

  test('doctor finds a mapping that gives its function nothing, unless the template wants that', () => {
    expect(checkMapping(resource({}), 'Enabled')).toEqual([]);
    expect(checkMapping(resource({ Enabled: false }), 'Disabled')).toEqual([]);
    expect(checkMapping(resource({}), 'Disabled')[0]?.advice).toBe(
      'aws lambda update-event-source-mapping --enabled --uuid one',
    );
    expect(checkMapping(resource({}), undefined)[0]?.text).toContain('is gone');
  });

  test('a mapping that an operator has paused is no finding, unless somebody has switched it on', () => {
    const pause = { consumer: 'bookings' };
    expect(checkMapping(resource({}), 'Disabled', pause)).toEqual([]);
    expect(checkMapping(resource({}), 'Disabling', pause)).toEqual([]);
    expect(checkMapping(resource({}), 'Enabled', pause)).toMatchObject([
      {
        check: 'pause',
        text: expect.stringMatching(/^bookings is noted as paused, and its event source mapping .* is enabled/),
      },
    ]);
    expect(checkMapping(resource({}), undefined, pause)[0]?.text).toContain('is gone');
  });

  test('doctor finds a function that is not as its template', () => {
    const state = { state: 'Active', lastUpdate: 'Successful', timeout: 10, memory: 512, variables: { LEVEL: 'INFO' } };
    const fn = resource({
      Timeout: 10,
      MemorySize: 512,
      Environment: { Variables: { LEVEL: 'INFO', TABLE: { Ref: 'Table' } } },
    });
    expect(checkFunction(fn, state)).toEqual([]);
    const other = { state: 'Failed', lastUpdate: 'Failed', timeout: 3, memory: 128, variables: { LEVEL: 'DEBUG' } };
    expect(checkFunction(fn, other).map(({ text }) => text)).toEqual([
      'the function one is in state Failed',
      'the function one runs older code: its last update failed',
      'the function one has a timeout of 3 s instead of 10 s',
      'the function one has 128 MB instead of 512 MB',
      'the function one has other values than its template: LEVEL',
    ]);
    expect(checks(checkFunction(fn, undefined))).toEqual(['function']);
  });

  test('doctor finds a function that was changed after its deployment', () => {
    const state = { state: 'Active', lastUpdate: 'Successful', timeout: 10, memory: 512, variables: {} };
    const found = (changedAt: string) =>
      checkFunction({ ...resource({}), deployedAt: '2026-03-01T12:00:00.000Z' }, { ...state, changedAt });
    // Lambda writes offsets so.
    expect([...found('2026-03-01T11:00:00.000+0000'), ...found('2026-03-01T12:00:59.000+0000')]).toEqual([]);
    expect(found('2026-03-01T12:01:01.000+0000').map(({ check, text }) => [check, text])).toEqual([
      ['version', expect.stringMatching(/^the function one was changed at .*: it may run other code$/)],
    ]);
  });

  test('doctor finds functions of one file that run different code', () => {
    const state = { state: 'Active', lastUpdate: 'Successful', timeout: 10, memory: 512, variables: {} };
    const fn = (physicalId: string, S3Key: string, code: string) =>
      [
        { ...resource({ Code: { S3Key } }), physicalId },
        { ...state, code },
      ] as const;
    const same = [fn('a', 'relay.zip', 'one'), fn('b', 'relay.zip', 'one'), fn('c', 'place.zip', 'two')];
    expect(checkVersions(same)).toEqual([]);
    expect(checkVersions([...same, fn('d', 'relay.zip', 'old')]).map(({ text }) => text)).toEqual([
      'd runs other code than 2 functions with the same file in their templates',
    ]);
    expect(
      checkVersions([
        [resource({}), undefined],
        [resource({ Code: { S3Key: 'x' } }), state],
      ]),
    ).toEqual([]);
  });

  test('doctor finds a stack whose newest deployment failed', () => {
    const statuses = { Orders: 'UPDATE_COMPLETE', Users: 'CREATE_COMPLETE', Rewards: 'UPDATE_IN_PROGRESS' };
    const statesOf = (all: Readonly<Record<string, string>>) =>
      new Map(Object.entries(all).map(([stack, status]) => [stack, { status }]));
    expect(checkStacks(statesOf(statuses))).toEqual([]);
    const failed = { Orders: 'UPDATE_ROLLBACK_COMPLETE', Users: 'UPDATE_ROLLBACK_FAILED' };
    expect(checkStacks(statesOf(failed)).map(({ text }) => text)).toEqual([
      expect.stringMatching(/^the stack Orders is UPDATE_ROLLBACK_COMPLETE: its newest deployment failed/),
      expect.stringMatching(/^the stack Users is UPDATE_ROLLBACK_FAILED/),
    ]);
  });

  test('doctor finds a stack that one command deletes, where data is kept, and prints the command that protects it', () => {
    const states = new Map([
      ['Orders', { terminationProtection: true }],
      ['Api', { terminationProtection: false }],
    ]);
    const found = (...tables: Parameters<typeof checkTerminationProtection>[1]) =>
      checkTerminationProtection(states, tables, 'shop-prod-');
    expect(found(resource({ Replicas: [recovery] }))).toEqual([
      {
        check: 'terminationProtection',
        text: 'the stack Api is not protected against deletion (termination protection is off)',
        advice:
          'aws cloudformation update-termination-protection --enable-termination-protection --stack-name shop-prod-Api',
      },
    ]);
    // Data of an environment without point-in-time recovery goes with its stacks.
    expect([...found(), ...found(resource({ Replicas: [{}] }))]).toEqual([]);
  });

  test('doctor finds a function that is stopped, or has another concurrency than its template', () => {
    const state = { state: 'Active', lastUpdate: 'Successful', timeout: 10, memory: 512, variables: {} };
    const found = (template: unknown, reserved?: number) =>
      checkFunction(resource({ ReservedConcurrentExecutions: template }), {
        ...state,
        ...(reserved !== undefined && { reserved }),
      }).map(({ text, advice }) => [text, advice]);
    expect([...found(undefined), ...found(10, 10), ...found({ Ref: 'Limit' }, 0)]).toEqual([]);
    expect(found(undefined, 0)).toEqual([
      [
        'the function one is stopped: its reserved concurrency is 0',
        'aws lambda delete-function-concurrency --function-name one',
      ],
    ]);
    expect(found(10)).toEqual([
      [
        'the function one has a reserved concurrency of none instead of 10',
        'aws lambda put-function-concurrency --reserved-concurrent-executions 10 --function-name one',
      ],
    ]);
  });

  test('doctor finds an alarm that is gone, or notifies no topic', () => {
    const loud = resource({ AlarmActions: [{ Ref: 'Topic' }] });
    const texts = (...described: Parameters<typeof checkAlarms>[1]) =>
      checkAlarms([loud], described).map(({ text }) => text);
    expect(texts({ AlarmName: 'one', ActionsEnabled: true, AlarmActions: ['topic'] })).toEqual([]);
    expect(texts()).toEqual(['the alarm one is gone']);
    expect(texts({ AlarmName: 'one', ActionsEnabled: false, AlarmActions: ['topic'] })).toEqual([
      'the alarm one tells nobody: its actions are disabled',
    ]);
    expect(texts({ AlarmName: 'one', ActionsEnabled: true, AlarmActions: [] })).toEqual([
      'the alarm one tells nobody: it has no actions',
    ]);
    expect(checkAlarms([resource({})], [{ AlarmName: 'one', ActionsEnabled: false }])).toEqual([]);
  });

  test('doctor finds a consumer of a service that is absent', () => {
    const halls = {
      name: 'halls',
      consumers: [{ name: 'bookings', events: [{ service: 'films', types: ['Shown'] }] }],
    } as unknown as Service;
    expect(checkContracts([halls]).map(({ text }) => text)).toEqual([
      'bookings receives Shown of films, which is not deployed here',
    ]);
    expect(checkContracts([halls, { ...halls, name: 'films', consumers: [] }])).toEqual([]);
  });

  test.each([
    [0.4, 0],
    [-29, 0],
    [31, 1],
    [-31, 1],
  ])('doctor finds a clock that is %s s ahead: %s', (difference, findings) =>
    expect(checkClock(difference)).toHaveLength(findings),
  );
});
