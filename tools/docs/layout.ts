/** Width of a line, as the formatter of the sources has it. */
const WIDTH = 120;

/** Returns a value as JSON with a line break at its end: an object or a list stands in one line where it fits, as the formatter of the sources has it. */
export const asJson = (value: unknown): string => `${laidOut(JSON.parse(JSON.stringify(value)), '', 0)}\n`;

/**
 * @param indent of the line in which the value begins
 * @param taken characters of the line besides the value: the name before it and the comma behind it
 */
function laidOut(value: unknown, indent: string, taken: number): string {
  const line = inOneLine(value);
  if (typeof value !== 'object' || value === null || indent.length + taken + line.length <= WIDTH) return line;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const inner = `${indent}  `;
  const members = listMembers(value).map(([name, member], at, all) => {
    const isLast = at === all.length - 1;
    return `${inner}${name}${laidOut(member, inner, name.length + Number(!isLast))}`;
  });
  return `${open}\n${members.join(',\n')}\n${indent}${close}`;
}

function inOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = listMembers(value).map(([name, member]) => name + inOneLine(member));
  if (Array.isArray(value)) return `[${members.join(', ')}]`;
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Returns the members of an object or a list, each with what stands before it. */
const listMembers = (value: object): readonly (readonly [name: string, value: unknown])[] =>
  Array.isArray(value)
    ? value.map((item) => ['', item])
    : Object.entries(value).map(([name, member]) => [`${JSON.stringify(name)}: `, member]);
