/** Small pictures for buttons: strokes in a square of 24 units, in the colour of the text. */

import { svg } from './dom.js';

const PATHS = {
  new: 'M12 5v14M5 12h14',
  first: 'M7 5v14M18 6l-8 6 8 6z',
  back: 'M15 6l-8 6 8 6z',
  forward: 'M9 6l8 6-8 6z',
  last: 'M17 5v14M6 6l8 6-8 6z',
  promote: 'M6 20V8a3 3 0 0 1 3-3h3M9 2l3 3-3 3M18 20v-6',
  fold: 'M5 12h14M12 3v5M9 6l3 3 3-3M12 21v-5M9 18l3-3 3 3',
  delete: 'M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13',
  review: 'M11 11m-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0M16 16l4 4M9 11l2 2 3-4',
  rematch: 'M4 10a8 8 0 0 1 14-4l2 2M20 4v4h-4M20 14a8 8 0 0 1-14 4l-2-2M4 20v-4h4',
  legend: 'M6 7m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0M12 7h8M6 16m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0M12 16h8',
  undo: 'M9 7L4 12l5 5M4 12h10a6 6 0 0 1 6 6',
  redo: 'M15 7l5 5-5 5M20 12H10a6 6 0 0 0-6 6',
  hint: 'M9 18h6M10 21h4M12 3a6 6 0 0 0-3.5 10.9c.6.5.9 1.1.9 1.9h5.2c0-.8.3-1.4.9-1.9A6 6 0 0 0 12 3z',
  go: 'M7 5l11 7-11 7z',
  stop: 'M7 7h10v10H7z',
  pause: 'M8 5v14M16 5v14',
  analyse: 'M4 19V5M4 19h16M8 15l4-5 3 3 5-7',
  menu: 'M4 7h16M4 12h16M4 17h16',
  swap: 'M7 4L4 7l3 3M4 7h14M17 14l3 3-3 3M20 17H6',
  resign: 'M6 21V4M6 5h11l-2 4 2 4H6',
  draw: 'M5 9h14M5 15h14',
  restart: 'M19 12a7 7 0 1 1-2.1-5M19 4v4h-4',
  save: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  load: 'M12 16V5M7 9l5-5 5 5M5 20h14',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  share: 'M18 6m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0M6 12m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0M18 18m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0M8.2 10.8l7.6-3.7M8.2 13.2l7.6 3.7',
  settings: 'M4 7h9M19 7h1M4 17h1M11 17h9M16 7m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0M8 17m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0',
  keys: 'M9 9a3 3 0 1 1 4.5 2.6c-.9.5-1.5 1.2-1.5 2.4M12 18v.01',
  quit: 'M12 4v8M7 7a7 7 0 1 0 10 0',
};

/**
 * @param {keyof typeof PATHS} name
 * @returns {SVGElement}
 */
export function icon(name) {
  return svg('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, svg('path', { d: PATHS[name] }));
}
