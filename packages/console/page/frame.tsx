import { useMemo } from 'preact/hooks';
import { Clock } from './clock.js';
import { facts } from './facts.js';
import { KeyButton, KeyHelp } from './keys.js';
import { ProofStrip } from './proof-strip.js';
import { goTo, linkTo, route } from './route.js';
import { ConnectionState } from './states.js';
import { connection } from './stream.js';
import { THEMES, theme } from './theme.js';
import { viewsOf } from './views.js';

/** The whole page: header, navigation, and the view of the address. */
export function Frame() {
  const known = facts.value;
  const views = useMemo(() => (known ? viewsOf(known) : []), [known]);
  const { name: asked, id = '' } = route.value;
  const name = asked === '' ? (views[0]?.name ?? '') : asked;
  const view = views.find((one) => one.name === name);
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <header class="top">
        <div class="app">
          <strong>{known?.name ?? 'Console'}</strong>
          {known ? <span class="environment">{known.environment}</span> : null}
        </div>
        <Connected />
        <Clock />
        <Search />
        <ThemeChoice />
        <KeyButton />
      </header>
      <nav aria-label="Views">
        <ul>
          {views
            .filter(({ isInNavigation }) => isInNavigation)
            .map((one) => (
              <li key={one.name}>
                <a href={linkTo(one.name)} aria-current={one.name === name ? 'page' : undefined}>
                  {one.title}
                </a>
              </li>
            ))}
        </ul>
      </nav>
      <ProofStrip />
      <ConnectionState />
      <main id="content" tabIndex={-1}>
        {view ? <view.Component id={id} /> : null}
        {known && !view ? (
          <>
            <h1>There is no view '{name}'</h1>
            <a href={linkTo(views[0]?.name ?? '')}>Go to the first one.</a>
          </>
        ) : null}
      </main>
      <KeyHelp />
    </>
  );
}

/** Moves the focus. A link to the content would change the hash, which names the view. */
function skip(): void {
  document.getElementById('content')?.focus();
}

function Connected() {
  return (
    <span class={`connection ${connection.value}`} role="status" aria-label="Connection">
      {connection.value}
    </span>
  );
}

/** Field for the id of an order, a message or a request. `/` goes to it from anywhere. */
function Search() {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('id') as HTMLInputElement;
    const id = field.value.trim();
    if (id === '') return;
    goTo('order', id);
    field.blur();
  };
  return (
    <search>
      <form onSubmit={submit}>
        <label class="unseen" htmlFor="search">
          Find an order, a message or a request by its id
        </label>
        <input
          id="search"
          name="id"
          type="search"
          autocomplete="off"
          spellcheck={false}
          placeholder="Find by id  ( / )"
        />
      </form>
    </search>
  );
}

function ThemeChoice() {
  return (
    <label class="theme">
      <span class="unseen">Colours</span>
      <select
        value={theme.value}
        onChange={({ currentTarget }) => {
          theme.value = THEMES.find((one) => one === currentTarget.value) ?? 'system';
        }}
      >
        {THEMES.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}
