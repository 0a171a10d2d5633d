import { type Context, fillTemplate } from './gateway-responses.js';

/** Answer that a template makes of one request. */
export interface Mapped {
  readonly body: string;
  /** Headers that replace those of the integration response, or are added to them, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** @returns the value of a request's header by its name as it was sent; `undefined` if the request lacks it */
export type ReadHeader = (name: string) => string | undefined;

type Value = (header: ReadHeader, variables: ReadonlyMap<string, string | undefined>) => string | undefined;
type Step = Text | Setting | Condition;
/** Text of the body. */
type Text = { readonly text: string };
/** `#set` of a variable, or of a header of the answer. */
type Setting = { readonly variable?: string; readonly header?: string; readonly value: Value };
/** `#if`: at least one pair of values is equal. */
type Condition = { readonly pairs: readonly (readonly [Value, Value])[]; readonly steps: readonly Step[] };

const DIRECTIVE = /#(?:(?<end>end)\b|(?<kind>set|if)\s*\(|(?<other>[a-z#*{[@]))/g;
const HEADER = /^\$input\.params\(\)\.header\.get\(\s*(["'])([\w-]+)\1\s*\)$/;
const OVERRIDE = /^\$context\.responseOverride\.header\.([\w-]+)$/;
const VARIABLE = /^\$(?!context\b|input\b)(\w+)$/;
const LITERAL = /^(["'])([^"'$#\\]*)\1$/;

/**
 * Creates a mapping template of an answer, in a small part of the Velocity Template Language: texts with `$context`, `#set` of a variable
 * or of a header of the answer, and `#if` with comparisons by `==`, alone or joined by `||`. Values are texts in quotes, variables, and
 * headers of the request. Amazon API Gateway, "Mapping template transformations", "Override your API's request and
 * response parameters".
 * @throws {Error} if the template has more than that
 */
export function parseMappingTemplate(
  label: string,
  template: string,
): (header: ReadHeader, context: Context) => Mapped {
  const { steps, end } = stepsIn(template, 0, (what) => {
    throw new Error(`${label}: a template with ${what} isn't modelled`);
  });
  if (end !== template.length) throw new Error(`${label}: a template with an #end too many`);
  return (header, context) => {
    const variables = new Map<string, string | undefined>();
    const headers: Record<string, string> = {};
    const play = (steps: readonly Step[]): string =>
      steps
        .map((step) => {
          if ('text' in step) return fillTemplate(step.text, context);
          if ('pairs' in step) {
            const holds = step.pairs.some(([one, other]) => isEqual(one(header, variables), other(header, variables)));
            return holds ? play(step.steps) : '';
          }
          const value = step.value(header, variables);
          // Velocity leaves a variable as it was if the value is null.
          if (value === undefined) return '';
          if (step.variable !== undefined) variables.set(step.variable, value);
          if (step.header !== undefined) {
            // AWS answers 5XX.
            if (Object.hasOwn(headers, step.header)) throw new Error(`${label}: a second override of ${step.header}`);
            headers[step.header] = value;
          }
          return '';
        })
        .join('');
    return { body: play(steps), headers };
  };
}

/** A header that the request lacks, or a variable that was never set, equals nothing. */
const isEqual = (one: string | undefined, other: string | undefined): boolean => one !== undefined && one === other;

type Refuse = (what: string) => never;

/** Reads the steps from a place on, up to the `#end` of their block or the end of the template. */
function stepsIn(template: string, from: number, refuse: Refuse, isBlock = false): { steps: Step[]; end: number } {
  const steps: Step[] = [];
  let at = from;
  for (;;) {
    DIRECTIVE.lastIndex = at;
    const found = DIRECTIVE.exec(template);
    const text = template.slice(at, found?.index);
    if (text !== '') steps.push({ text: checkText(text, refuse) });
    if (!found) {
      if (isBlock) refuse('an #if without its #end');
      return { steps, end: template.length };
    }
    const { end, kind, other } = found.groups as { end?: string; kind?: string; other?: string };
    if (other !== undefined) refuse(`'${template.slice(found.index, found.index + 12)}'`);
    if (end !== undefined) return { steps, end: isBlock ? DIRECTIVE.lastIndex : found.index };
    const { inside, after } = readParenthesis(template, DIRECTIVE.lastIndex, refuse);
    if (kind === 'set') {
      steps.push(parseSetting(inside, refuse));
      at = after;
    } else {
      const block = stepsIn(template, after, refuse, true);
      steps.push({ pairs: inside.split('||').map((pair) => parseComparison(pair, refuse)), steps: block.steps });
      at = block.end;
    }
  }
}

/** Returns what is inside of a parenthesis that was opened, and the place after it. */
function readParenthesis(template: string, from: number, refuse: Refuse): { inside: string; after: number } {
  let depth = 1;
  for (let at = from; at < template.length; at++) {
    if (template[at] === '(') depth++;
    if (template[at] === ')') depth--;
    if (depth === 0) return { inside: template.slice(from, at), after: at + 1 };
  }
  return refuse('a parenthesis that is not closed');
}

function parseSetting(inside: string, refuse: Refuse): Setting {
  const [, target = '', expression = ''] =
    /^\s*(\S+)\s*=(?!=)\s*(.*?)\s*$/s.exec(inside) ?? refuse(`'#set(${inside})'`);
  const value = parseExpression(expression, refuse);
  const [, header] = OVERRIDE.exec(target) ?? [];
  if (header !== undefined) return { header: header.toLowerCase(), value };
  const [, variable] = VARIABLE.exec(target) ?? refuse(`'#set(${inside})'`);
  return { variable: String(variable), value };
}

function parseComparison(text: string, refuse: Refuse): readonly [Value, Value] {
  const [one, other, ...more] = text.split('==').map((side) => side.trim());
  if (one === undefined || other === undefined || more.length > 0) return refuse(`'#if(${text.trim()})'`);
  return [parseExpression(one, refuse), parseExpression(other, refuse)];
}

function parseExpression(expression: string, refuse: Refuse): Value {
  const literal = LITERAL.exec(expression)?.[2];
  if (literal !== undefined) return () => literal;
  const name = HEADER.exec(expression)?.[2];
  if (name !== undefined) return (header) => header(name);
  const variable = VARIABLE.exec(expression)?.[1];
  if (variable !== undefined) return (_, variables) => variables.get(variable);
  return refuse(`'${expression}'`);
}

/** In a text, only `$context` is replaced. */
function checkText(text: string, refuse: Refuse): string {
  const [foreign] = /\$(?!context\.)[!{\w][\w.{(]*/.exec(text) ?? [];
  if (foreign !== undefined) refuse(`'${foreign}'`);
  return text;
}
