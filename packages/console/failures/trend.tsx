/** Size of the picture, in units of its own. */
const [WIDTH, HEIGHT] = [144, 24];

/** Failures by the hour as bars, the newest hour at the right. @param counts the oldest hour first */
export function Trend({ counts }: { readonly counts: readonly number[] }) {
  const most = Math.max(1, ...counts);
  const step = WIDTH / Math.max(1, counts.length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return (
    <svg
      class="trend"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={`${total} in ${counts.length} hours, at most ${most === 1 && total === 0 ? 0 : most} in one of them`}
    >
      {counts.map((count, at) => {
        const height = count === 0 ? 1 : Math.max(2, (count / most) * HEIGHT);
        // Bars have no identity but their place.
        return <rect key={`${at}`} x={at * step} y={HEIGHT - height} width={Math.max(1, step - 1)} height={height} />;
      })}
    </svg>
  );
}
