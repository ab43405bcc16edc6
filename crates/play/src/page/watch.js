/**
 * The page of a match (`tengen match --watch`): results, the sequential test, and the running games. Every state from
 * the server is a whole snapshot; the page draws it and can pause, resume and finish the match.
 */

import { createApi, Refused } from './api.js';
import { createConnection } from './connection.js';
import { thumbnail } from './board.js';
import { byId, el, patch, svg } from './dom.js';
import { chooseLanguage, translatePage, translator } from './i18n.js';
import { followTheme } from './settings.js';
import { createPreferences } from './store.js';

const view = createPreferences(localStorage);
const language = chooseLanguage(view.get('language'));
const t = translator(language);
document.documentElement.lang = language;
translatePage(document, t);
followTheme(view);

let state = /** @type {any} */ (null);
const api = createApi({ connection: createConnection(), revision: () => state?.rev ?? 0 });

const pause = el('button', { type: 'button', text: t('watch.pause'), on: { click: () => send('pause', { on: !state.paused }) } });
const finish = el('button', { type: 'button', text: t('watch.finish'), on: { click: () => send('finish') } });
byId('controls').append(pause, finish);

async function send(name, fields) {
  try {
    await api.command(name, fields);
  } catch (error) {
    banner(error instanceof Refused ? error.message : t('refused.gone'), 'lost');
  }
}

const name = (engine) => state.engines[engine].name;

function show(next) {
  state = next;
  const names = state.engines.map((engine) => engine.name).join(', ');
  const title = t('watch.title', { names, events: state.events.join(', ') });
  byId('subject').textContent = title;
  document.title = `${state.played}/${state.total} ${title}`;
  say(byId('status'), statusWords());
  pause.textContent = t(state.paused ? 'watch.resume' : 'watch.pause');
  pause.disabled = state.ended;
  finish.disabled = state.ended || state.finishing;
  finish.title = state.finishing ? t('watch.finishing') : '';
  showGauge(byId('gauge'), state.sprt);
  showRatings();
  showCrosstable();
  showPairings();
  showBoards();
  showLast();
}

/** Updates a text only if it has changed, since screen readers read changes aloud. */
function say(node, words) {
  if (node.textContent !== words) node.textContent = words;
}

function statusWords() {
  const { played, total, paused, held, running, finishing, ended } = state;
  const kind = ended ? '.ended' : paused ? (held < running.length ? '.pausing' : '.paused') : finishing ? '.finishing' : '';
  return t(`watch.status${kind}`, { played, total });
}

const signed = (value, digits) => (value > 0 ? '+' : value < 0 ? '−' : '') + Math.abs(value).toFixed(digits);
const wdl = ({ wins, draws, losses }) => `+${wins} =${draws} −${losses}`;
const count = ({ wins, draws, losses }) => wins + draws + losses;
const percent = (games) => (count(games) ? `${((100 * (games.wins + games.draws / 2)) / count(games)).toFixed(1)}%` : '');

/** Fills a table: the column headers, then rows that start with their row header. */
function showTable(table, heads, rows) {
  const print = JSON.stringify([heads, rows]);
  if (table.dataset.print === print) return;
  table.dataset.print = print;
  const head = el('tr', {}, ...heads.map((text) => el('th', { scope: 'col', text })));
  const body = rows.map(([first, ...cells]) => el('tr', {}, el('th', { scope: 'row', text: first }), ...cells.map((text) => el('td', { text }))));
  table.replaceChildren(el('thead', {}, head), el('tbody', {}, ...body));
}

/** Both ends of an interval; null from the server is an unbounded end. */
const range = (low, high, digits) => `[${low === null ? '−∞' : signed(low, digits)}, ${high === null ? '∞' : signed(high, digits)}]`;

/** A match of two engines has no ratings: the table of pairings shows the difference. */
function showRatings() {
  const rated = state.virtual_draws !== null;
  const order = [...state.engines].sort((a, b) => (b.rating ?? 0) - (a.rating ?? 0));
  const keys = ['engine', ...(rated ? ['rating', 'interval'] : []), 'games', 'score', 'wdl', 'limits'];
  const rating = (engine) => (engine.rating === null ? ['', '']
    : [signed(engine.rating, 0), range(engine.rating_low, engine.rating_high, 0)]);
  const rows = order.map((engine) => [engine.name, ...(rated ? rating(engine) : []),
    count(engine), percent(engine), wdl(engine), engine.limits]);
  showTable(byId('ratings'), keys.map((key) => t(`watch.${key}`)), rows);
}

/** Each engine's results against each other engine; with two engines the table of pairings is enough. */
function showCrosstable() {
  const table = byId('crosstable');
  table.parentElement.hidden = state.engines.length < 3;
  const cell = (a, b) => {
    if (a === b) return '—';
    const there = state.pairings.find((pairing) => pairing.first === a && pairing.second === b);
    const back = state.pairings.find((pairing) => pairing.first === b && pairing.second === a);
    return there ? wdl(there) : back ? wdl({ wins: back.losses, draws: back.draws, losses: back.wins }) : '';
  };
  const all = state.engines.map((_, index) => index);
  showTable(table, [t('watch.crosstable'), ...all.map(name)], all.map((a) => [name(a), ...all.map((b) => cell(a, b))]));
}

/** The difference of two engines in Elo; infinite if one engine took every point. */
function elo({ elo, elo_from: from, score }) {
  if (from === null) return '';
  return elo === null ? `${score > 0.5 ? '+' : '−'}∞` : signed(elo, 1);
}

/** What the difference is computed from. */
function counted({ elo_from: from, left_out: leftOut }) {
  if (from === null) return '';
  return leftOut ? t('watch.from.some', { leftOut }) : t(`watch.from.${from}`);
}

function showPairings() {
  const heads = ['pairing', 'elo', 'interval', 'counted', 'score', 'wdl', 'pairs', 'one_colour'].map((key) => t(`watch.${key}`));
  const rows = state.pairings.map((pairing) => [
    t('watch.vs', { first: name(pairing.first), second: name(pairing.second) }),
    elo(pairing), pairing.elo_from === null ? '' : range(pairing.elo_low, pairing.elo_high, 1), counted(pairing),
    percent(pairing), wdl(pairing), pairing.pairs.join(' '), pairing.one_colour.join(' ')]);
  showTable(byId('pairings'), heads, rows);
}

/** Shows the log-likelihood ratio between the bounds at which the test ends. */
function showGauge(gauge, test) {
  gauge.hidden = !test;
  if (!test) return;
  const width = 100;
  const place = (llr) => Math.min(width, Math.max(0, (width * (llr - test.lower)) / (test.upper - test.lower)));
  const [zero, now] = [place(0), place(test.llr)];
  const [lower, llr, upper] = [test.lower, test.llr, test.upper].map((value) => signed(value, 2));
  const words = `${t('watch.llr', { lower, llr, upper })}, ${t(`watch.verdict.${test.verdict}`)}`;
  const bar = svg('svg', { viewBox: `0 0 ${width} 10`, preserveAspectRatio: 'none', role: 'img', 'aria-label': words },
    svg('rect', { class: 'track', x: 0, y: 2, width, height: 6 }),
    svg('rect', { class: now < zero ? 'fill low' : 'fill', x: Math.min(zero, now), y: 2, width: Math.abs(now - zero), height: 6 }),
    svg('line', { class: 'zero', x1: zero, x2: zero, y1: 0, y2: 10 }),
    svg('line', { class: 'needle', x1: now, x2: now, y1: 0, y2: 10 }));
  const scale = t(test.normalized ? 'watch.hypotheses.normalized' : 'watch.hypotheses', test);
  gauge.replaceChildren(el('p', { text: `${words} (${scale})` }), bar,
    el('p', { class: 'ends' }, el('span', { text: `${lower} ${t('watch.h0', test)}` }), el('span', { text: `${t('watch.h1', test)} ${upper}` })));
}

function showBoards() {
  patch(byId('running'), state.running, {
    key: (game) => String(game.game),
    make: () => el('li'),
    update(node, game) {
      const [black, white, last] = [name(game.black), name(game.white), game.stones.length - 1];
      const stones = game.stones.map((at, index) => ({ at, side: index % 2 ? 'white' : 'black', label: index === last ? '●' : '', red: true }));
      const words = t('watch.board', { game: game.game, black, white, stones: stones.length, last: game.stones[last] ?? '—' });
      const side = (engine, colour) => el('span', { class: `side-name ${colour}`, 'data-turn': game.to_move === engine, text: name(engine) });
      node.replaceChildren(el('figure', { 'data-game': game.game },
        el('div', { role: 'img', 'aria-label': words }, thumbnail(game.size, stones)),
        el('figcaption', {}, side(game.black, 'black'), side(game.white, 'white'),
          el('span', { class: 'muted small', text: t('watch.caption', { game: game.game, rule: game.rule, stones: stones.length }) }))));
    },
  });
}

function showLast() {
  patch(byId('last'), state.last, {
    key: (game) => String(game.game),
    make(game) {
      const [black, white] = [name(game.black), name(game.white)];
      const result = game.winner === null ? t('watch.drawn', { black, white })
        : t('watch.won', { winner: name(game.winner), loser: name(game.winner === game.black ? game.white : game.black) });
      return el('li', {}, el('span', { class: 'number', text: t('watch.game', { game: game.game }) }), el('span', { text: result }),
        el('span', { class: 'muted', text: t('watch.how', game) }));
    },
  });
}

function banner(text, kind, ...more) {
  const node = byId('banner');
  node.hidden = !text;
  node.className = `banner ${kind}`;
  node.replaceChildren(el('p', { text }), ...more);
}

function showLink(link) {
  const again = el('button', { type: 'button', text: t('link.here'), on: { click: begin } });
  if (link === 'live') banner('', '');
  else if (link === 'ended') banner(state?.ended ? '' : t('watch.gone'), link);
  else banner(t(link === 'locked' ? 'watch.locked' : `link.${link}`), link, ...(link === 'replaced' ? [again] : []));
  if (link === 'ended' || link === 'locked') pause.disabled = finish.disabled = true;
}

let stop = () => {};

async function begin() {
  stop();
  try {
    const { state: first } = await api.hello();
    show(first);
    stop = api.listen((event, data) => event === 'state' && show(data), showLink);
  } catch (error) {
    showLink(error instanceof Refused && error.status === 401 ? 'locked' : 'ended');
  }
}

window.addEventListener('hashchange', begin);
begin();
