/** AWS, "API Reference: TagResource, UntagResource, ListTagsOfResource"; "Tagging restrictions in DynamoDB". */
import { accessDenied, notFound, validation } from '../errors.js';
import { anything, members, structure, text } from '../operations/constraints.js';
import { readRequest } from '../operations/request.js';
import { defineShape } from '../operations/shape.js';
import type { WireObject } from '../wire.js';
import { type Catalog, type CatalogTable, parseTableName } from './catalog.js';
import { toList } from './table-record.js';

const MAX_TAGS = 50;
const ARN = /^arn:aws[a-z-]*:dynamodb:([^:]+):(\d{12}):table\/[^/]+$/;
const key = text(1, 128);
const TAG = defineShape(['ResourceArn', 'Tags'], {
  Tags: members(0, 200, structure(['Key', 'Value'], { Key: key, Value: text(0, 256) })),
});
const UNTAG = defineShape(['ResourceArn', 'TagKeys'], { TagKeys: members(0, 200, key) });
const LIST = defineShape(['ResourceArn'], { NextToken: anything });

export function tagResource(catalog: Catalog, input: WireObject): WireObject {
  const { ResourceArn, Tags } = readRequest(input, TAG);
  const found = resource(catalog, ResourceArn, 'TagResource');
  const tags = new Map([...toList(found.record.properties.Tags), ...toList(Tags)].map((tag) => [tag.Key, tag]));
  if (tags.size > MAX_TAGS) throw validation('The number of tags exceeds the limit: 50');
  catalog.change(found, { Tags: [...tags.values()] });
  return {};
}

export function untagResource(catalog: Catalog, input: WireObject): WireObject {
  const { ResourceArn, TagKeys } = readRequest(input, UNTAG);
  const found = resource(catalog, ResourceArn, 'UntagResource');
  const gone = new Set(TagKeys as readonly unknown[]);
  catalog.change(found, { Tags: toList(found.record.properties.Tags).filter(({ Key }) => !gone.has(Key)) });
  return {};
}

export function listTagsOfResource(catalog: Catalog, input: WireObject): WireObject {
  const { ResourceArn } = readRequest(input, LIST);
  return { Tags: toList(resource(catalog, ResourceArn, 'ListTagsOfResource').record.properties.Tags) };
}

/** @throws {DynamoDbError} ValidationException, AccessDeniedException or ResourceNotFoundException */
function resource(catalog: Catalog, given: unknown, action: string): CatalogTable {
  const arn = String(given);
  const [, , account] = ARN.exec(arn) ?? [];
  if (account === undefined) throw validation(`Invalid TableArn: Invalid ResourceArn provided as input ${arn}`);
  // Nobody has rights in another account.
  if (account !== catalog.account) throw accessDenied(action, arn);
  if (!catalog.tables.has(parseTableName(arn))) throw notFound(`ResourcArn: ${arn} not found`);
  return catalog.find(arn);
}
