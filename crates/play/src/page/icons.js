/** Small pictures for buttons: strokes in a square of 24 units, in the colour of the text. */

import { svg } from './dom.js';

const PATHS = {
  new: 'M12 5v14M5 12h14',
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
