// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is CloudFormation's syntax that is tested.
import { expect, test } from 'vitest';
import { evaluateCondition, type Json, type Lookup, resolve, TemplateError } from './intrinsics.js';

const lookup: Lookup = {
  ref: (name) => ({ 'AWS::Region': 'eu-west-1', Table: 'orders', List: ['a', 'b'] })[name] ?? '',
  attribute: (resource, name) => `${resource}.${name}`,
  imported: (name) => `imported ${name}`,
  stackOutput: (...path) => path.join(' of '),
  condition: (name) => name === 'IsProd',
  mapping: (...path) => path.join('/'),
};

test.each<[string, Json, Json]>([
  ['Ref', { Ref: 'Table' }, 'orders'],
  ['Fn::GetAtt', { 'Fn::GetAtt': ['Table', 'Stream.Arn'] }, 'Table.Stream.Arn'],
  ['Fn::GetAtt as text', { 'Fn::GetAtt': 'Table.Arn' }, 'Table.Arn'],
  ['Fn::Join of a list', { 'Fn::Join': ['-', ['x', { Ref: 'Table' }]] }, 'x-orders'],
  [
    'Fn::Sub',
    { 'Fn::Sub': '${Table} in ${AWS::Region}, ${Table.Arn}, ${!Kept}' },
    'orders in eu-west-1, Table.Arn, ${!Kept}',
  ],
  ['Fn::Sub with values', { 'Fn::Sub': ['${Own}', { Own: { Ref: 'Table' } }] }, 'orders'],
  ['Fn::Select of Fn::Split', { 'Fn::Select': [1, { 'Fn::Split': [':', 'a:b:c'] }] }, 'b'],
  ['Fn::ImportValue', { 'Fn::ImportValue': 'Bus' }, 'imported Bus'],
  [
    'Fn::GetStackOutput',
    { 'Fn::GetStackOutput': { StackName: 'Platform', OutputName: 'BusName' } },
    'Platform of BusName of ',
  ],
  ['Fn::If', { 'Fn::If': ['IsProd', 'yes', 'no'] }, 'yes'],
  ['AWS::NoValue', { kept: 1, gone: { Ref: 'AWS::NoValue' } }, { kept: 1 }],
])('%s', (_, value, expected) => {
  expect(resolve(value, lookup)).toEqual(expected);
});

test('conditions', () => {
  expect(evaluateCondition({ 'Fn::Equals': [{ Ref: 'Table' }, 'orders'] }, lookup)).toBe(true);
  expect(evaluateCondition({ 'Fn::Not': [{ Condition: 'IsProd' }] }, lookup)).toBe(false);
  expect(
    evaluateCondition({ 'Fn::And': [{ Condition: 'IsProd' }, { 'Fn::Or': [{ Condition: 'Other' }] }] }, lookup),
  ).toBe(false);
});

test('a function that is not known is an error that names it', () => {
  expect(() => resolve({ 'Fn::Cidr': [] }, lookup)).toThrow(TemplateError);
  expect(() => resolve({ 'Fn::Cidr': [] }, lookup)).toThrow(/Fn::Cidr/);
});
