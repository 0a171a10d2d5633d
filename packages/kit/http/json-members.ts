/** Matches a JSON string or a structural character. Numbers and the three literals don't matter here. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/gs;

/** An object or list that is not closed yet. */
interface OpenContainer {
  readonly names: Set<string>;
  /** Name of the member, or index of the value, that is being read. */
  at: string | number;
}

/**
 * Finds a member that occurs twice in an object.
 *
 * RFC 8259, 4 leaves open which of the two counts: JSON.parse takes the last one, others take the first. A firewall
 * might judge one value while the handler uses the other.
 * @param json valid JSON; its grammar is not checked again
 * @returns path of the first repeated member, or `undefined` if there is none
 */
export function findRepeatedMember(json: string): readonly PropertyKey[] | undefined {
  const open: OpenContainer[] = [];
  let text = '';
  for (const [token] of json.matchAll(TOKEN)) {
    const inner = open.at(-1);
    if (token === '{') open.push({ names: new Set(), at: '' });
    else if (token === '[') open.push({ names: new Set(), at: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && typeof inner?.at === 'number') inner.at++;
    else if (token === ':' && inner) {
      // Names are compared after decoding: "a" and "\u0061" are the same name.
      inner.at = JSON.parse(text) as string;
      if (inner.names.has(inner.at)) return open.map(({ at }) => at);
      inner.names.add(inner.at);
    } else text = token;
  }
  return undefined;
}
