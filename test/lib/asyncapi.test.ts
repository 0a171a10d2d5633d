import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { AsyncApi } from '../../tools/docs/asyncapi.js';
import type { Json } from '../../tools/docs/openapi/schemas.js';
import { ALL_STACKS, consumersOf, policyStatements, referenced, synthesized } from '../support/environments.js';

const document = JSON.parse(readFileSync('docs/asyncapi.json', 'utf8')) as AsyncApi;
const prod = synthesized('prod', ALL_STACKS);

/** One way of a message: `OrderPlaced of orders -> reports`, `ReserveStock of orders -> inventory`. */
const wayOf = (type: string, source: string, hearer: string): string => `${type} of ${source} -> ${hearer}`;

/** Returns every way that the rules of the stacks open into queues of consumers. */
function deployed(): ReadonlySet<string> {
  const ways = consumersOf(prod).flatMap(({ stack, service, queueUrl }) =>
    prod
      .resources(stack, 'AWS::Events::Rule')
      .filter(({ properties }) => properties.Targets.some(({ Arn }: { Arn: unknown }) => referenced(Arn) === queueUrl))
      .flatMap(({ properties: { EventPattern } }) =>
        EventPattern.source.flatMap((source: string) =>
          EventPattern['detail-type'].map((type: string) => wayOf(type, source, service)),
        ),
      ),
  );
  return new Set(ways);
}

/** Returns every way that the document says, by the operations that receive and the patterns of their messages. */
function documented(): ReadonlySet<string> {
  const ways = Object.values(document.operations)
    .filter(({ action }) => action === 'receive')
    .flatMap(({ tags, messages }) => {
      const [{ name: hearer }] = tags as readonly [{ readonly name: string }];
      return messages.flatMap((reference) => {
        const message = targetOf(targetOf(reference));
        const { source } = message['x-eventbridge-pattern'] as { readonly source: readonly string[] };
        return source.map((sender) => wayOf(String(message.name), sender, hearer));
      });
    });
  return new Set(ways);
}

const targetOf = ({ $ref }: Json): Json =>
  String($ref)
    .slice(2)
    .split('/')
    .reduce<Json>((part, name) => part[name] as Json, document);

test('docs/asyncapi.json names the same subscribers as the rules of the stacks', () => {
  expect(documented().size).toBeGreaterThan(60);
  expect([...documented()].toSorted()).toEqual([...deployed()].toSorted());
});

test('each sender in docs/asyncapi.json is a service whose relay may publish as it', () => {
  const sources = prod
    .everywhere('AWS::IAM::Role')
    .flatMap(({ properties }) => policyStatements(properties))
    .flatMap(({ Condition }) => Condition?.['ForAllValues:StringEquals']?.['events:source'] ?? []);
  const documentedSources = Object.values(document.components.messages).flatMap(
    (message) => (message['x-eventbridge-pattern'] as { readonly source: readonly string[] }).source,
  );
  expect(sources).toEqual(expect.arrayContaining([...new Set(documentedSources)]));
});
