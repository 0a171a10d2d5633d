import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  ACCEPTED,
  type Accepted,
  type Finding,
  judgeFindings,
  readLint,
  readScan,
} from '../../../tools/release/template-checks/findings.js';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const finding = (more: Partial<Finding> = {}): Finding => ({
  tool: 'checkov',
  rule: 'CKV_AWS_27',
  type: 'AWS::SQS::Queue',
  environment: 'dev',
  text: 'devA.template.json AWS::SQS::Queue.Queue: encrypted',
  ...more,
});
const accepted: Accepted = { tool: 'checkov', rule: 'CKV_AWS_27', types: ['AWS::SQS::Queue'], reason: 'A reason.' };

describe('a finding about a template', () => {
  test('passes if its rule is accepted for its type', () => {
    for (const list of [[accepted], [{ ...accepted, environment: 'dev' }]])
      expect(judgeFindings([finding()], list)).toEqual({ fresh: [], stale: [] });
  });

  test.each([
    ['no rule is accepted', finding(), []],
    ['the rule is accepted for another type', finding({ type: 'AWS::SNS::Topic' }), [accepted]],
    ['another rule is accepted', finding({ rule: 'CKV_AWS_28' }), [accepted]],
    ['the rule is accepted in another environment', finding(), [{ ...accepted, environment: 'prod' }]],
    ['the rule of another tool is accepted', finding({ tool: 'cfn-lint' }), [accepted]],
  ])('is a fault if %s', (_, found, list) => {
    const { fresh } = judgeFindings([found], list);
    expect(fresh).toEqual([`${found.tool} ${found.rule} ${found.text}`]);
  });

  test('that was accepted and occurs no more is a fault, for each type', () => {
    const two = { ...accepted, types: ['AWS::SQS::Queue', 'AWS::SNS::Topic'] };
    expect(judgeFindings([finding()], [two]).stale).toEqual([
      `checkov CKV_AWS_27 on AWS::SNS::Topic is accepted and occurs no more: remove it from ${ACCEPTED}`,
    ]);
    expect(judgeFindings([finding()], [{ ...two, mayBeAbsent: true }])).toEqual({ fresh: [], stale: [] });
  });
});

describe('what the checkers print', () => {
  test('cfn-lint: the type is that of the resource at the path', () => {
    const match = (Path: unknown) => ({
      Filename: '/t/devA.template.json',
      Message: 'm',
      Rule: { Id: 'W3005' },
      Location: { Path },
    });
    const output = JSON.stringify([
      match(['Resources', 'Queue', 'DependsOn', 0]),
      match(['Outputs', 'X']),
      match(null),
    ]);
    const found = readLint(output, () => ({ Queue: { Type: 'AWS::SQS::Queue' } }));
    expect(found.map(({ type }) => type)).toEqual(['AWS::SQS::Queue', 'template', 'template']);
    expect(found[0]?.text).toBe('devA.template.json Resources/Queue/DependsOn/0: m');
  });

  test('checkov: the type comes before the logical id, and one report or a list of them is read', () => {
    const results = {
      failed_checks: [
        {
          check_id: 'CKV_AWS_27',
          check_name: 'encrypted',
          resource: 'AWS::SQS::Queue.Queue',
          file_path: '/devA.template.json',
        },
      ],
    };
    const report = { results, summary: { parsing_errors: 0, resource_count: 1 } };
    for (const output of [report, [report]]) expect(readScan(JSON.stringify(output))).toEqual([finding()]);
  });

  test('checkov: a template that it could not read is an error, and so is no template', () => {
    const report = (parsing_errors: number, resource_count: number) =>
      JSON.stringify({ results: { failed_checks: [] }, summary: { parsing_errors, resource_count } });
    expect(() => readScan(report(1, 9))).toThrow('checkov could not read 1 templates');
    expect(() => readScan(report(0, 0))).toThrow('checkov found no template');
    expect(() => readScan('{"passed":0,"failed":0}')).toThrow('checkov found no template');
  });
});

describe('the files of the checkers', () => {
  test('each acceptance has types and a reason, and stands once', () => {
    const all = JSON.parse(read(ACCEPTED)) as readonly Accepted[];
    expect(all.filter(({ types, reason }) => types.length === 0 || !/^[A-Z].{20,}\.$/.test(reason))).toEqual([]);
    const names = all.flatMap(({ tool, rule, types }) => types.map((type) => `${tool} ${rule} ${type}`));
    expect(names).toEqual([...new Set(names)]);
  });

  test('the lock names a version and hashes for each Python package', () => {
    const requirements = read('tools/release/template-checks/requirements.lock')
      .replace(/\\\n/g, ' ')
      .trim()
      .split('\n');
    const wrong = requirements.filter((one) => !/^[\w.-]+==\S+( +--hash=sha256:[0-9a-f]{64})+$/.test(one.trim()));
    expect(wrong).toEqual([]);
    expect(requirements.some((one) => one.startsWith('cfn-lint=='))).toBe(true);
    expect(requirements.some((one) => one.startsWith('checkov=='))).toBe(true);
  });

  test('go.sum has a hash for each module that actionlint is built from', () => {
    const modules = [...read('tools/release/actionlint/go.mod').matchAll(/^\t(\S+ v\S+)/gm)].map(([, name]) => name);
    const sums = read('tools/release/actionlint/go.sum');
    expect(modules.length).toBeGreaterThan(5);
    expect(modules.filter((name) => !sums.includes(`${name} h1:`))).toEqual([]);
  });
});
