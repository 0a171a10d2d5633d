import type { JsonObject } from '../../../packages/simulator/assembly/intrinsics.js';

type Resource = { Type: string; Properties: JsonObject };

/** Text of a source file that becomes another one, in the entry points that `only` fits. */
export interface Change {
  readonly from: string | RegExp;
  readonly to: string;
  /** @default all */
  readonly only?: RegExp;
}

/** A small mistake that a good engineer makes, put into Orderly on purpose. */
export interface PlantedBug {
  readonly name: string;
  /** Scenario whose singles or seeds must find it. */
  readonly scenario: string;
  readonly source?: Change & { readonly file: string };
  /** In every resource of the templates. @returns the resource as it is to be */
  readonly resource?: (resource: Resource, logicalId: string) => JsonObject;
}

/** Returns a function that plants a bug in one source file. */
export const bugsIn =
  (file: string) =>
  (name: string, scenario: string, change: Change): PlantedBug => ({ name, scenario, source: { file, ...change } });

/** Changes the properties of one type's resources whose logical id fits. */
export const properties =
  (type: string, id: RegExp, change: (properties: JsonObject) => JsonObject): NonNullable<PlantedBug['resource']> =>
  (resource, logicalId) =>
    resource.Type === type && id.test(logicalId)
      ? { ...resource, Properties: change(resource.Properties) }
      : (resource as unknown as JsonObject);

/** Returns JSON with one text replaced in it. @throws {Error} if the text is missing */
export const replaced =
  (from: string, to: string) =>
  (value: JsonObject): JsonObject => {
    const text = JSON.stringify(value);
    if (!text.includes(from)) throw new Error(`nothing to replace: ${from}`);
    return JSON.parse(text.replaceAll(from, to)) as JsonObject;
  };
