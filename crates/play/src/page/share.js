/**
 * Sharing: a picture of the board, an animation of the game or of the line from here, and a link whose fragment holds
 * the position. The fragment is all that a page needs, so that a link can be opened by any page of the program:
 *
 *     #h8i9j10&rule=renju&size=15
 *
 * The moves come first, black's and white's in turn. A position that no such moves lead to has its stones instead:
 * `#&black=h8i9&white=j10&to=white&rule=renju&size=20x15`.
 */

import { download, rasterise } from './files.js';
import { Refused } from './api.js';
import { openDialog } from './dialog.js';
import { el } from './dom.js';
import { labelsOf, point } from './parts.js';

/**
 * The fragment for the shown position.
 * @param {import('./types.js').State} state
 * @returns {string}
 */
export function fragmentOf({ game, line, ply, board }) {
  const [width, height] = game.size;
  const ground = `rule=${game.rule}&size=${width === height ? width : `${width}x${height}`}`;
  const played = line.slice(0, ply);
  const inTurn = !game.start.length && !board.blocked.length
    && played.every((move, index) => move.at && move.side === (index % 2 ? 'white' : 'black'));
  if (inTurn) return `#${played.map((move) => move.at).join('')}&${ground}`;
  const of = (side) => board.stones.filter((stone) => stone.side === side).map((stone) => stone.at).join('');
  return `#&black=${of('black')}&white=${of('white')}&to=${board.to_move}&${ground}`;
}

/**
 * The position of a fragment as SGF, or null if it holds none.
 * @param {string} fragment
 * @returns {string|null}
 */
export function sgfOf(fragment) {
  const [moves, ...rest] = fragment.replace(/^#/, '').split('&');
  const fields = new URLSearchParams(rest.join('&'));
  const size = /^(\d{1,2})(?:x(\d{1,2}))?$/.exec(fields.get('size') ?? '15');
  const rule = fields.get('rule') ?? 'freestyle';
  if (!size || !/^[a-z-]+$/.test(rule) || !/^(?:[a-y]\d{1,2})*$/.test(moves)) return null;
  if (!moves && !fields.has('black') && !fields.has('white') && !fields.has('rule')) return null;
  const [width, height] = [Number(size[1]), Number(size[2] ?? size[1])];
  const sgf = (label) => point(label, height).map((place) => String.fromCharCode(97 + place)).join('');
  const stones = (name, key) => {
    const all = labelsOf(fields.get(key) ?? '');
    return all.length ? name + all.map((at) => `[${sgf(at)}]`).join('') : '';
  };
  const ground = width === height ? width : `${width}:${height}`;
  const to = fields.get('to') === 'white' ? 'PL[W]' : fields.has('to') ? 'PL[B]' : '';
  const line = labelsOf(moves).map((at, index) => `;${index % 2 ? 'W' : 'B'}[${sgf(at)}]`).join('');
  return `(;FF[4]GM[4]SZ[${ground}]RU[${rule}]${stones('AB', 'black')}${stones('AW', 'white')}${to}${line})`;
}

/**
 * Takes the position from the page's address, and removes it there.
 * @returns {string|null} its SGF
 */
export function takeLink() {
  const sgf = location.hash.length > 1 ? sgfOf(location.hash) : null;
  if (sgf) history.replaceState(null, '', location.pathname);
  return sgf;
}

/**
 * Shows the position of a link.
 * @param {any} context
 * @param {string} sgf
 */
export async function openLink({ api, sure, toast, t }, sgf) {
  if (!(await sure())) return;
  try {
    const { games } = await api.importFile('link.sgf', new Blob([sgf]));
    for (const warning of games[0]?.warnings ?? []) toast(warning, 'warning');
  } catch (error) {
    toast(error instanceof Refused ? error.message : t('files.failed'), 'error');
  }
}

/**
 * Opens the dialog.
 * @param {any} context
 */
export function openShare({ store, api, t, toast }) {
  const state = store.get('state');
  const link = `${location.origin}${location.pathname}${fragmentOf(state)}`;
  const field = el('input', { type: 'text', readonly: true, value: link, id: 'share-link', 'aria-label': t('share.link') });
  const copy = async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(link);
      said.textContent = t('share.copied');
    } catch {
      said.textContent = t('share.copy_by_hand');
    }
  };
  const said = el('p', { class: 'small', role: 'status' });
  const save = async (format, picture) => {
    try {
      const { name, blob } = await api.exportFile(format);
      download(picture ? name.replace(/\.svg$/, '.png') : name, picture ? await rasterise(blob) : blob);
      said.textContent = t('share.saved', { name: picture ? name.replace(/\.svg$/, '.png') : name });
    } catch (error) {
      toast(error instanceof Refused ? error.message : t('files.failed'), 'error');
    }
  };
  const file = (name, title, format, disabled = false) => el('button', { type: 'button', disabled, 'data-share': name, on: { click: () => save(format, name === 'png') } },
    el('strong', { text: title }), el('small', { text: t(`share.${name}`) }));
  openDialog({ title: t('share.title'), name: 'share', close: t('close'), body: [
    el('h3', { text: t('share.link') }),
    el('p', { class: 'small muted', text: t(store.get('about').local ? 'share.link_local' : 'share.link_public') }),
    el('div', { class: 'share-link' }, field, el('button', { type: 'button', class: 'main', 'data-share': 'copy', text: t('share.copy'), on: { click: copy } })),
    said,
    el('h3', { text: t('share.files') }),
    el('div', { class: 'formats' }, file('svg', 'SVG', 'svg'), file('png', 'PNG', 'svg'), file('gif', 'GIF', 'gif', !state.line.length),
      file('gif_rest', 'GIF', 'gif_rest', state.ply >= state.line.length)),
  ] });
}
