/** Markdown without its code blocks: what stands in them is neither a heading nor a link. */
export const withoutBlocks = (text: string): string => text.replace(/^( *)(```+|~~~+).*?^ *\2.*?$/gms, '');

/** Texts between backticks, without those inside of code blocks. */
export const codeIn = (text: string): readonly string[] =>
  [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code ?? []);

/** Targets of all inline links and images, as they are written; without those inside of code. */
export const linksIn = (text: string): readonly string[] =>
  [
    ...withoutBlocks(text)
      .replace(/`[^`\n]+`/g, 'code')
      .matchAll(/\]\(\s*<?([^\s)>]+)>?[^)]*\)/g),
  ].flatMap(([, target]) => target ?? []);

/** Anchors of all headings, as GitHub makes them: lower case, without punctuation, a number behind a repeated one. */
export function anchorsIn(text: string): ReadonlySet<string> {
  const times = new Map<string, number>();
  const headings = withoutBlocks(text).matchAll(/^#{1,6} +(.+?) *#*$/gm);
  return new Set(
    [...headings].map(([, heading = '']) => {
      const shown = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
      const anchor = shown
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\p{Pc} -]/gu, '')
        .replaceAll(' ', '-');
      const before = times.get(anchor) ?? 0;
      times.set(anchor, before + 1);
      return before === 0 ? anchor : `${anchor}-${before}`;
    }),
  );
}
