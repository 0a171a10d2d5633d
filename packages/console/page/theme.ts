import { effect, signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
/** Colours of the page. `system` follows the setting of the machine. */
export type Theme = (typeof THEMES)[number];

const KEPT = 'orderly-console-theme';

export const theme = signal<Theme>(THEMES.find((one) => one === localStorage.getItem(KEPT)) ?? 'system');

/** Applies the theme, now and whenever it changes. */
export function applyTheme(): void {
  effect(() => {
    localStorage.setItem(KEPT, theme.value);
    if (theme.value === 'system') document.documentElement.removeAttribute('data-theme');
    else document.documentElement.dataset.theme = theme.value;
  });
}
