/** JSON Schema, as far as the contracts use it. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const SEALED = /^\^1\\\./;
const NO_MAXIMUM = Number.MAX_SAFE_INTEGER;

/** Describes a schema in a few words, for a cell of a table. */
export function describeSchema(schema: Schema): string {
  const { type, enum: values, const: value, format, pattern, properties = {}, items } = schema;
  if (value !== undefined) return code(JSON.stringify(value));
  if (values !== undefined) return values.map((one) => code(String(one))).join(', ');
  if (type === 'object') {
    if (SEALED.test(properties.sealed?.pattern ?? '')) return 'sealed personal data: `{ sealed }`';
    if ('amount' in properties && 'currency' in properties) return 'money: `{ amount, currency }`';
    const optional = (name: string) => (schema.required?.includes(name) ? '' : '?');
    return `\`{ ${Object.keys(properties)
      .map((name) => name + optional(name))
      .join(', ')} }\``;
  }
  if (type === 'array' && items) return `list of ${range(schema.minItems, schema.maxItems)}${describeSchema(items)}`;
  if (type === 'integer') return `integer${bounds(schema.minimum, schema.maximum)}`;
  if (format === 'date-time') return 'time, ISO 8601 in UTC';
  if (pattern !== undefined && format === undefined) return `text, ${code(pattern)}`;
  if (type === 'string') return `text${characters(schema.minLength, schema.maxLength)}`;
  if (type === 'boolean') return 'true or false';
  throw new Error(`no words for ${JSON.stringify(schema)}`);
}

/** In a cell of a table, a bar would end the cell. */
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

const range = (least: number | undefined, most: number | undefined): string =>
  most === undefined ? '' : `${least ?? 0} to ${most} `;

function bounds(minimum: number | undefined, maximum: number | undefined): string {
  const most = maximum === undefined || maximum === NO_MAXIMUM ? undefined : maximum;
  if (most !== undefined) return `, ${(minimum ?? 0).toLocaleString('en')} to ${most.toLocaleString('en')}`;
  return minimum === undefined ? '' : ` from ${minimum}`;
}

function characters(least: number | undefined, most: number | undefined): string {
  if (most === undefined) return '';
  return `, ${least === undefined ? 'up to' : `${least} to`} ${most} characters`;
}
