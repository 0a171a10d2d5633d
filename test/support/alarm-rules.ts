import type { Json } from './environments.js';

/** Alarm of a template, and what it notifies. */
export interface TemplateAlarm {
  /** `<stack>/<logical id>` */
  readonly id: string;
  /** Topics that it notifies by itself, by their logical ids. */
  readonly tells: readonly string[];
  /** Rule of a composite alarm, in which other alarms are `ALARM("<stack>/<logical id>")`. */
  readonly rule?: string;
}

/**
 * Evaluates the rule of a composite alarm: `ALARM("x")`, `AND`, `OR`, `NOT` and parentheses. CloudWatch User Guide, "Create a composite
 * alarm".
 */
export function holds(rule: string, isOn: (id: string) => boolean): boolean {
  const tokens = rule.match(/ALARM\("[^"]+"\)|AND|OR|NOT|[()]/g) ?? [];
  let at = 0;
  const primary = (): boolean => {
    const token = tokens[at++];
    if (token === 'NOT') return !primary();
    if (token === '(') {
      const inside = either();
      at++;
      return inside;
    }
    const [, id] = /^ALARM\("(.+)"\)$/.exec(token ?? '') ?? [];
    if (id === undefined) throw new Error(`${rule}: expected ALARM("...") at token ${at}, and not '${token}'`);
    return isOn(id);
  };
  const both = (): boolean => {
    let value = primary();
    while (tokens[at] === 'AND') {
      at++;
      value = primary() && value;
    }
    return value;
  };
  function either(): boolean {
    let value = both();
    while (tokens[at] === 'OR') {
      at++;
      value = both() || value;
    }
    return value;
  }
  return either();
}

/** Returns the notifications that go out, by topic, while some metric alarms are on: `Alarms: Platform/BusRefuses...`. */
export function notifications(alarms: readonly TemplateAlarm[], on: ReadonlySet<string>): readonly string[] {
  const byId = new Map(alarms.map((one) => [one.id, one]));
  const isOn = (id: string): boolean => {
    const rule = byId.get(id)?.rule;
    return rule === undefined ? on.has(id) : holds(rule, isOn);
  };
  return alarms
    .filter(({ id }) => isOn(id))
    .flatMap(({ id, tells }) => tells.map((topic) => `${topic}: ${id.replace(/[0-9A-F]{8}$/, '')}`))
    .toSorted();
}

/** Renders a rule, in which references to alarms become `<stack>/<logical id>`. @param exported finds an imported alarm */
export function renderRule(value: Json, stack: string, exported: (name: string) => string): string {
  if (typeof value === 'string') return value;
  const { 'Fn::Join': join, 'Fn::GetAtt': attribute, 'Fn::ImportValue': imported } = value;
  if (join) return join[1].map((part: Json) => renderRule(part, stack, exported)).join(join[0]);
  if (attribute) return `${stack}/${attribute[0]}`;
  return exported(imported);
}
