const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** Formats a moment as a time of day, in UTC: `14:03:22.104`. @param at milliseconds since 1970 */
export const formatTime = (at: number): string => new Date(at).toISOString().slice(11, 23);

/** Formats a moment with its day, in UTC: `2026-11-29 14:03:22`. */
export const formatMoment = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

/** Formats a duration with its two largest units: `36 d 2 h`. */
export function formatDuration(milliseconds: number): string {
  let rest = Math.abs(milliseconds);
  const parts = UNITS.flatMap(([size, unit]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? [`${count} ${unit}`] : [];
  });
  return parts.length === 0 ? '0 s' : parts.slice(0, 2).join(' ');
}

/** Formats a number with a comma at thousands. */
export const formatNumber = (value: number): string => value.toLocaleString('en');
