/** A string of JSON, or a sign that stands between values. Numbers and the three words say nothing here. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/gs;

/** An object or a list that is open where the text has been read to. */
interface Open {
  readonly names: Set<string>;
  /** Name of the member, or place of the value, that is being read. */
  at: string | number;
}

/**
 * Finds a member that an object has twice. Which of the two counts is open (RFC 8259, 4): JSON.parse takes the last one,
 * others the first, and a firewall may have judged another one than is carried out.
 * @param json valid JSON: its grammar is not checked again
 * @returns path of the first one; nothing where every member stands once
 */
export function repeatedMember(json: string): readonly PropertyKey[] | undefined {
  const open: Open[] = [];
  let text = '';
  for (const [token] of json.matchAll(TOKEN)) {
    const inner = open.at(-1);
    if (token === '{') open.push({ names: new Set(), at: '' });
    else if (token === '[') open.push({ names: new Set(), at: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && typeof inner?.at === 'number') inner.at++;
    else if (token === ':' && inner) {
      // Compared as they are read: "a" and "\u0061" are one name.
      inner.at = JSON.parse(text) as string;
      if (inner.names.has(inner.at)) return open.map(({ at }) => at);
      inner.names.add(inner.at);
    } else text = token;
  }
  return undefined;
}
