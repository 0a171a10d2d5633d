import { MARK_SIZE } from './layout.js';
import { LOOK_TEXTS } from './marks.js';
import { classOf } from './picture.js';
import { Shape } from './shapes.js';

const TEXTS: Readonly<Record<string, string>> = { commit: 'commit', ...LOOK_TEXTS, timer: 'timeout' };

/** Says what each form of a mark means. */
export function Legend() {
  return (
    <ul class="legend" aria-label="What the marks mean">
      {Object.entries(TEXTS).map(([look, text]) => (
        <li key={look}>
          <svg width={MARK_SIZE + 4} height={MARK_SIZE + 4} aria-hidden="true">
            <g class={`mark ${classOf(look)}`}>
              <Shape look={look} x={2} y={2} width={MARK_SIZE} />
            </g>
          </svg>
          {text}
        </li>
      ))}
    </ul>
  );
}
