import { render } from 'preact';
import './console.css';
import { runClock } from './clock.js';
import { readFacts } from './facts.js';
import { Frame } from './frame.js';
import { handleKeys } from './keys.js';
import { keepProof } from './proof.js';
import { connect, connection } from './stream.js';
import { applyTheme } from './theme.js';

// The token is in a cookie by now. In the address it would be in the history, and in what people copy.
if (location.search !== '') history.replaceState(null, '', location.pathname + location.hash);
applyTheme();
handleKeys();
void readFacts().then((facts) => {
  // At AWS nothing streams: the views read again what they show.
  if (facts && !facts.local) {
    connection.value = 'by request';
    return;
  }
  connect();
  runClock();
});
keepProof();
const page = document.getElementById('page');
if (page) render(<Frame />, page);
