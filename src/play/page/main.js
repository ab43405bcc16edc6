/** Puts the page together. */

import { createPreferences, createStore } from './store.js';

const store = createStore();
const view = createPreferences(localStorage);
void store;
void view;
