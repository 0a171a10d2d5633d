const compiled = new Map<string, RegExp>();

/** Compiles a text of a policy: `*` matches any text, `?` one character; everything else matches itself. */
export function wildcard(text: string): RegExp {
  const known = compiled.get(text);
  if (known) return known;
  const escaped = text
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[\\s\\S]*')
    .replaceAll('?', '[\\s\\S]');
  const made = new RegExp(`^${escaped}$`);
  compiled.set(text, made);
  return made;
}
