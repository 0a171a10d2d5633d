import type { OfferedGuard } from '../server/histories-contract.js';

interface GuardsProps {
  readonly guards: readonly OfferedGuard[];
  /** Id of the guard that is removed. */
  readonly removed: string | undefined;
  readonly onSwitch: (guard: string | undefined) => void;
}

/** A switch for each guard that can be removed: the wall is played without it. */
export function GuardsView({ guards, removed, onSwitch }: GuardsProps) {
  if (guards.length === 0) return null;
  return (
    <section aria-labelledby="guards">
      <h2 id="guards">Without this guard</h2>
      <p>
        A switch takes one guard out of the code, builds it, and plays the histories again. They turn red where it is
        missed.
      </p>
      <ul class="guards">
        {guards.map(({ id, label, file, line, promise }) => (
          <li key={id}>
            <button
              type="button"
              role="switch"
              aria-checked={removed === id}
              aria-describedby={`guard-${id}`}
              onClick={() => onSwitch(removed === id ? undefined : id)}
            >
              Without: {label}
            </button>
            <p id={`guard-${id}`}>
              {promise}{' '}
              <code>
                {file}:{line}
              </code>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
