/**
 * The Explorer tab: what the database of positions says about the shown position and the moves from it. It follows the
 * shown node, plays a move that is clicked, and has the switch that stores what analysis and reviews find.
 *
 * Moves that are images of each other are one row. The tab asks the server only while it is open.
 */

import { Refused } from './api.js';
import { el, patch, set } from './dom.js';
import { brief, choice, eachFrame, lossClass, portion, short, worth, worthInWords } from './parts.js';

/** Moves that are marked on the board. */
const MARKED = 30;

/**
 * @param {HTMLElement} slot
 * @param {import('./types.js').Context} context
 */
export function mount(slot, context) {
  const { store, view, api, send, t, board, announce } = context;
  let found = /** @type {any} */ (null);
  let problem = '';
  let known = '';
  let refocus = false;

  const state = () => store.get('state');
  const isOpen = () => Boolean(state()?.database?.name) && store.get('tab') === 'explorer';
  /** While a person plays the engine without analysis, no value is shown. */
  const isHidden = () => !state().opinion;

  const source = choice(t('explorer.source'), [['', t('explorer.all')]], () => ask());
  const power = el('button', { type: 'button', role: 'switch', class: 'switch', title: t('explorer.store_title'), on: { click: toggle } }, t('explorer.store'));
  const failed = el('p', { class: 'setup-note', role: 'status' });
  const note = el('p', { class: 'quiet', role: 'status' });
  const sum = el('div', { class: 'explored' });
  const texts = el('div', { class: 'texts', role: 'group', 'aria-label': t('explorer.comments') });
  const rows = el('tbody');
  const table = el('table', { class: 'known' }, el('caption', { class: 'unseen' }, t('explorer.caption')),
    el('thead', {}, el('tr', {}, ...['move', 'games', 'results', 'value'].map((name) => el('th', { scope: 'col' }, t(`explorer.${name}`))))), rows);
  slot.append(el('section', { class: 'explorer', 'aria-label': t('explorer.title') },
    el('div', { class: 'panel-row explorer-bar' }, source.node, power), failed, sum, texts, note, table));

  /** Chosen by the person, remembered for the next time. */
  function toggle() {
    const on = !state().database.stores;
    view.set('storeFindings', on);
    send('store', { on });
  }

  let busy = false;
  let again = false;

  /** Asks about the shown position. While an answer is awaited, only the newest question is remembered. */
  async function ask() {
    again = true;
    if (busy) return;
    busy = true;
    while (again && isOpen() && !isHidden()) {
      again = false;
      try {
        found = await api.explore(source.select.value);
        problem = '';
      } catch (error) {
        const { error: kind, message } = error instanceof Refused ? error : { error: 'gone', message: '' };
        found = null;
        problem = kind === 'gone' ? t('refused.gone') : t('explorer.broken', { why: message });
      }
      draw();
    }
    busy = false;
  }

  const side = () => state().board.to_move;
  const shown = () => (isOpen() && !isHidden() && found && found.game === state().game.id && found.node === state().node && !store.get('quiz') ? found : null);

  function draw() {
    const now = state();
    if (!now?.database) return;
    const { stores, problem: why } = now.database;
    set(power, { 'aria-checked': String(stores) });
    failed.textContent = why ? t('explorer.not_stored', { why }) : '';
    const data = shown();
    const isKnown = data && (data.moves.length || data.position.games || data.position.value || data.position.texts.length || data.position.marks.length);
    note.textContent = isHidden() ? t('explorer.hidden') : store.get('quiz') ? t('analysis.quiz') : problem || !data ? problem : data.empty ? t('explorer.empty', { file: now.database.name })
      : !isKnown ? t('explorer.unknown') : data.moves.length ? '' : t('explorer.no_moves');
    if (data) list(data.sources);
    describe(data?.position);
    table.hidden = !data?.moves.length;
    const wasHere = rows.contains(document.activeElement);
    patch(rows, (data?.moves ?? []).map((move) => ({ ...move, can: now.can.place })), { key: ({ at }) => at, make, update });
    // The focus goes from move to move, as the rows do.
    if (data && (refocus || wasHere) && !rows.contains(document.activeElement)) (rows.querySelector('button') ?? source.select).focus();
    if (data) refocus = false;
    overlay();
  }

  /** The sources to choose from: all, those of a kind, single ones. */
  function list(sources) {
    const print = JSON.stringify(sources);
    if (print === known) return;
    known = print;
    const chosen = source.select.value;
    const kinds = [...new Set(sources.map(({ kind }) => kind))];
    const option = (value, text) => el('option', { value }, text);
    source.select.replaceChildren(option('', t('explorer.all')),
      ...(kinds.length > 1 ? kinds.map((kind) => option(kind, t(`explorer.kind_${kind}`))) : []),
      ...(sources.length > 1 ? sources.map(({ id, name, kind }) => option(String(id), kind === 'analysis' || kind === 'build' ? t(`explorer.own_${kind}`) : name)) : []));
    source.select.value = chosen;
    if (source.select.value !== chosen) {
      source.select.value = '';
      ask();
    }
  }

  /** The position: its value, its games, its comments. */
  function describe(position) {
    const parts = position ? [
      position.value && el('span', { class: 'value', text: `${bounded(position)}${position.best ? ` · ${t('explorer.best', { at: position.best })}` : ''}` }),
      position.games > 0 && el('span', { class: 'muted', text: t('explorer.count', { games: position.games }) }),
      position.games > 0 && results(position)] : [];
    sum.replaceChildren(...parts.filter(Boolean));
    sum.hidden = !sum.childElementCount;
    texts.replaceChildren(...(position?.texts ?? []).map(({ source: name, text }) => el('p', {}, el('b', { text: name }), ` ${text}`)));
    texts.hidden = !texts.childElementCount;
  }

  /** A value with its bound and depth. */
  function bounded({ value, bound }) {
    const sign = { lower: '≥ ', upper: '≤ ' }[bound] ?? '';
    return `${sign}${worth(t, value, 'black', 0)}`;
  }

  /** The results of games as a bar: black's wins, draws, white's wins. */
  function results({ games, black, draws, white }) {
    const shares = { black, draws, white };
    const words = t('explorer.shares', { games, black: portion(black, games), draws: portion(draws, games), white: portion(white, games) });
    return el('span', { class: 'results', role: 'img', 'aria-label': words, title: words }, ...Object.keys(shares).map((name) => {
      const share = shares[name] / games;
      const part = el('span', { class: name, text: share >= 0.24 ? portion(shares[name], games) : '' });
      part.style.flexGrow = String(share);
      return part;
    }));
  }

  function make({ at }) {
    const row = el('tr', { 'data-at': at },
      el('th', { scope: 'row' }, el('button', { type: 'button', class: 'known-move', on: { click: () => play(at) } })),
      el('td', { class: 'count' }), el('td', { class: 'course' }), el('td', { class: 'worth' }));
    const over = () => point(shown()?.moves.find((move) => move.at === at));
    row.addEventListener('mouseenter', over);
    row.addEventListener('mouseleave', () => point(null));
    row.firstChild.firstChild.addEventListener('focus', over);
    row.firstChild.firstChild.addEventListener('blur', () => point(null));
    return row;
  }

  function update(row, move) {
    const { at, images, games, value, texts: comments, can } = move;
    const [name, count, course, worthCell] = row.children;
    const words = [images.length ? t('explorer.images', { others: images.join(' ') }) : '', value ? worthInWords(t, value) : '',
      games ? t('explorer.count', { games }) : '', comments.map(({ text }) => text).join(' ')].filter(Boolean).join('. ');
    set(name.firstChild, { title: t('explorer.play', { at }), disabled: !can });
    name.firstChild.replaceChildren(...[at, images.length > 0 && el('small', { text: ` ×${images.length + 1}` }), words && el('span', { class: 'unseen', text: ` ${words}` })].filter(Boolean));
    count.textContent = games ? short(games) : '';
    const first = comments[0]?.text.split('\n')[0] ?? '';
    course.replaceChildren(...[games > 0 && results(move), first && el('span', { class: 'said', text: first, title: comments.map(({ text }) => text).join('\n') })].filter(Boolean));
    worthCell.replaceChildren(...(value ? [bounded(move), ...(value.depth && !value.win ? [el('small', { text: ` d${value.depth}`, title: t('explorer.depth', { depth: value.depth }) })] : [])] : []));
  }

  function play(at) {
    point(null);
    refocus = rows.contains(document.activeElement);
    announce(at);
    send('move', { at });
  }

  /** Rings a move and its images. */
  function point(move) {
    board.overlay('explored-move', move ? { marks: [move.at, ...move.images].map((at) => ({ at, shape: 'circle', tone: 'accent' })) } : null);
  }

  const rate = ({ value }) => (side() === 'black' ? value.win_rate : 1 - value.win_rate);

  /** Marks of the position's libraries, and, unless an analysis shows its own, the known moves. */
  function overlay() {
    const data = shown();
    if (!data || store.get('proving')) {
      board.overlay('explorer', null);
      point(null);
      return;
    }
    const moves = state().analysis.on ? [] : data.moves.slice(0, MARKED);
    const valued = moves.filter(({ value }) => value);
    const best = Math.max(0, ...valued.map(rate));
    const labelled = new Set(data.position.marks.map(({ at }) => at));
    board.overlay('explorer', {
      candidates: valued.filter(({ at }) => !labelled.has(at)).map((move) => {
        const { side: owner, text } = brief(t, move.value, 'black');
        const sign = move.value.win ? (move.value.win.side === side() ? '★' : '✕') : undefined;
        return { at: move.at, klass: lossClass(best - rate(move)), value: text, side: owner, sign };
      }),
      marks: [...moves.filter(({ at, value }) => !value && !labelled.has(at)).map(({ at }) => ({ at, shape: /** @type {'dot'} */ ('dot') })), ...data.position.marks],
    });
  }

  let place = '';
  let asked = false;
  store.watch('state', (now) => {
    if (!now.database) return;
    // The person wanted it the last time.
    if (!asked && view.get('storeFindings') && !now.database.stores) send('store', { on: true });
    asked = true;
    const at = `${now.game.id}/${now.game.rule}/${now.node}/${now.opinion}/${now.database.changes}`;
    if (at !== place) {
      point(null);
      ask();
    }
    place = at;
    draw();
  });
  store.watch('tab', () => {
    ask();
    draw();
  });
  store.watch('quiz', draw);
  store.watch('proving', eachFrame(draw));
}
