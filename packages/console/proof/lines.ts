/**
 * Returns the JSON lines of pieces of text, as they come.
 * @param take gets each line @returns a function that takes the next piece; a line may begin in one and end in another
 */
export function readLines<Line>(take: (line: Line) => void): (piece: string) => void {
  let begun = '';
  return (piece) => {
    const lines = (begun + piece).split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) if (line !== '') take(JSON.parse(line));
  };
}
