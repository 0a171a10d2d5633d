const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** Formats the time since the beginning: `+340 ms`, `+1.2 s`, `+2 min`, `+36 d`. */
export function formatElapsed(milliseconds: number): string {
  const sign = milliseconds < 0 ? '−' : '+';
  const size = Math.abs(milliseconds);
  const [length, unit] = UNITS.find(([one]) => size >= one) ?? [1, 'ms'];
  const count = size / length;
  const rounded = length === 1 || count >= 10 ? Math.round(count) : Math.round(count * 10) / 10;
  return `${sign}${rounded} ${unit}`;
}
