import type { WireObject } from '../wire.js';

/** Names and values of a request whose expressions are made here: a placeholder for each of them. */
export class Words {
  private readonly names: Record<string, string>;
  private readonly values: Record<string, unknown>;

  /** @param given a request that may have some of its own */
  constructor({ ExpressionAttributeNames: names, ExpressionAttributeValues: values }: WireObject = {}) {
    this.names = { ...(names as Record<string, string> | undefined) };
    this.values = { ...(values as Record<string, unknown> | undefined) };
  }

  name(attribute: string): string {
    const placeholder = `#made_${Object.keys(this.names).length}`;
    this.names[placeholder] = attribute;
    return placeholder;
  }

  value(value: unknown): string {
    const placeholder = `:made_${Object.keys(this.values).length}`;
    this.values[placeholder] = value;
    return placeholder;
  }

  /** Returns the members of the request that define the placeholders; none that would be empty. */
  members(): WireObject {
    const { names, values } = this;
    return {
      ...(Object.keys(names).length > 0 ? { ExpressionAttributeNames: names } : {}),
      ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
    };
  }
}
