import type { Move } from './motion.js';

/** Messages that are drawn at once, at most: more would say no more. */
const MOST = 60;
/** Milliseconds from one end of a line to the other. */
const TAKES = 900;
/** Points of a line at which a message is placed. */
const STEPS = 24;

/** Messages on their way. */
export interface Dots {
  add(move: Move): void;
  /** Removes all. */
  end(): void;
}

const still = globalThis.matchMedia?.('(prefers-reduced-motion: reduce)');

/** Lets dots move along the lines of a picture. Who wants no motion gets none: the numbers say the same. */
export function showDots(svg: SVGSVGElement): Dots {
  const layer = svg.querySelector('.map-dots');
  const shown = new Set<SVGElement>();
  const remove = (dot: SVGElement): void => {
    dot.remove();
    shown.delete(dot);
  };
  return {
    add({ line, tone }) {
      const path = svg.querySelector<SVGPathElement>(`[data-line="${line}"]`);
      if (!path || !layer || still?.matches || document.hidden || shown.size >= MOST) return;
      const dot = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
      dot.setAttribute('r', '5');
      dot.setAttribute('class', `map-dot ${tone}`);
      layer.append(dot);
      shown.add(dot);
      const length = path.getTotalLength();
      const frames = Array.from({ length: STEPS + 1 }, (_, step): Keyframe => {
        const { x, y } = path.getPointAtLength((length * step) / STEPS);
        // A duplicate changes nothing at its consumer: it fades.
        const fades = tone === 'duplicate' && step > STEPS / 2;
        return { transform: `translate(${x}px, ${y}px)`, opacity: fades ? 1 - (step - STEPS / 2) / (STEPS / 2) : 1 };
      });
      const move = dot.animate(frames, { duration: TAKES, easing: 'ease-in-out' });
      move.onfinish = () => remove(dot);
      move.oncancel = () => remove(dot);
    },
    end() {
      for (const dot of [...shown]) remove(dot);
    },
  };
}
