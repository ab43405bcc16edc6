/** The start dialog: players, rule, board, level, clock, and help. */

import { choice, number, openDialog, tick } from './dialog.js';
import { el } from './dom.js';
import { openingName } from './opening.js';
import { playerName } from './status.js';

/** The choices when nothing is stored; the levels are the program's default then. */
const FIRST = {
  mode: 'engine', colour: 'black', rule: 'freestyle', size: '15', width: 15, height: 15, opening: 'none', first: 'black', level: 0, other: 0,
  black: '', white: '', rival: 'tengen', rival_other: 'tengen', clock: 'none', seconds: 15, minutes: 10, increment: 5, hints: true, undo: true, warn: false, warn_from: 20, forbidden: true,
};

/** The opening rules: those that any rule may have, those with a centre, those of renju. */
const ANY = ['none', 'swap', 'swap2'];
const CENTRED = ['pro', 'long-pro'];
const OF_RENJU = ['rif', 'yamaguchi', 'soosorv-8', 'tarannikov', 'taraguchi-10'];
const OPENINGS = ['none', 'pro', 'long-pro', 'swap', 'swap2', ...OF_RENJU];

/** The slider position of full strength. */
const FULL = 11;

/**
 * Opens the dialog, unless it is open.
 * @param {import('./types.js').Context & {sure: () => Promise<boolean>}} context
 */
export function openStart(context) {
  if (document.querySelector('dialog.start')) return;
  const { store, view, t } = context;
  const { default_level: level } = store.get('about');
  const about = store.get('about');
  const kept = { ...FIRST, level, other: level, ...view.get('start') };
  for (const name of ['rival', 'rival_other']) if (!rivals(about).includes(kept[name])) kept[name] = TENGEN;
  const form = el('form', { method: 'dialog', class: 'start-form' },
    el('div', { class: 'start-fields' }, offer(context, () => box.close()), ...fields(kept, about, t)),
    el('div', { class: 'dialog-foot' }, el('button', { type: 'button', class: 'open-file', text: t('start.open'), on: { click: openFile } }),
      el('button', { type: 'submit', class: 'main', autofocus: true, text: t('start.start') })));
  const box = openDialog({ title: t('start.title'), name: 'start', close: t('close'), body: [form] });
  function openFile() {
    box.close();
    context.acts('load');
  }
  const follow = () => showFields(form, store.get('about'), t);
  form.addEventListener('input', follow);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const chosen = read(form);
    if (!(await context.sure())) return;
    view.set('start', chosen);
    if (await context.send('new', { ...newGame(chosen), rev: undefined })) {
      box.close();
      context.show(chosen.mode === 'study' ? 'analysis' : 'game');
      if (chosen.mode === 'study') context.send('analysis', { on: true });
    }
  });
  follow();
}

/** The game that was saved when the program last ended, with buttons to continue it. */
function offer({ store, send, t }, done) {
  const saved = store.get('state').offer;
  if (!saved) return null;
  const answer = (command) => async () => {
    await send(command);
    if (command === 'continue') done();
    else card.remove();
  };
  const when = new Date(saved.saved * 1000).toLocaleString(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' });
  const names = `${saved.names.black || t('side.black')} – ${saved.names.white || t('side.white')}`;
  const card = el('section', { class: 'offer' },
    el('div', {}, el('strong', { text: t('start.continue') }),
      el('p', { class: 'small', text: t('start.offer', { rule: t(`rule.${saved.rule}`), moves: saved.moves, names, when }) }),
      saved.copy ? el('p', { class: 'small', text: t('start.offer_copy') }) : null),
    el('button', { type: 'button', class: 'main', text: t('start.go_on'), on: { click: answer('continue') } }),
    el('button', { type: 'button', text: t('start.dismiss'), on: { click: answer('dismiss') } }));
  return card;
}

/** The value of Tengen among the engines; other engines have a prefix, since one may have the same name. */
const TENGEN = 'tengen';
const OTHER = 'other:';

/** The engines to choose from. */
const rivals = ({ engines = [] }) => [TENGEN, ...engines.map((name) => OTHER + name)];

/** The choice of an engine, if others were declared. */
function rivalField(name, kept, about, t) {
  if (!about.engines?.length) return null;
  const options = rivals(about).map((value) => /** @type {[string, string]} */ ([value, value === TENGEN ? 'Tengen' : value.slice(OTHER.length)]));
  return choice({ name, legend: t('start.rival'), value: kept[name], options });
}

function fields(kept, about, t) {
  const { rules } = about;
  const mode = (name) => (about.engines?.length && name.startsWith('engine') ? `${name}_any` : name);
  const options = (field, names) => names.map((name) => [name, t(`start.${field}_${name}`)]);
  const group = (name, names, legend = t(`start.${name}`)) => choice({ name, legend, value: String(kept[name]), options: options(name, names) });
  const count = (name, min, max, step) => number({ name, words: t(`start.${name}`), value: kept[name], min, max, step });
  const text = (name) => el('label', { class: 'entry' }, el('span', { text: t(`start.name_${name}`) }),
    el('input', { name, value: kept[name], maxlength: 60, autocomplete: 'off' }));
  return [
    choice({ name: 'mode', legend: t('start.mode'), value: kept.mode, cards: true,
      options: ['engine', 'persons', 'engines', 'study'].map((name) => [name, t(`start.mode_${mode(name)}`), t(`start.mode_${mode(name)}_more`)]) }),
    group('colour', ['black', 'white', 'lot']),
    el('div', { class: 'pair', 'data-field': 'names' }, text('black'), text('white')),
    rivalField('rival', kept, about, t),
    levelField('level', kept.level, t),
    rivalField('rival_other', kept, about, t),
    levelField('other', kept.other, t),
    el('div', { class: 'broad' }, choice({ name: 'rule', legend: t('start.rule'), value: kept.rule,
      options: rules.map((name) => [name, t(`rule.${name}`)]) }), el('p', { class: 'small muted', 'data-say': 'rule' })),
    group('size', ['15', '19', '20', 'other']),
    el('div', { class: 'pair', 'data-field': 'measures' }, count('width', 5, 25), count('height', 5, 25)),
    group('opening', OPENINGS),
    el('p', { class: 'small muted', 'data-say': 'opening' }),
    group('first', ['black', 'white']),
    group('clock', ['none', 'move', 'game']),
    el('div', { class: 'pair', 'data-field': 'seconds' }, count('seconds', 1, 3600, 'any')),
    el('div', { class: 'pair', 'data-field': 'minutes' }, count('minutes', 0.5, 600, 'any'), count('increment', 0, 600, 'any')),
    el('fieldset', { class: 'choice', 'data-field': 'assist' }, el('legend', { text: t('start.assist') }), el('div', { class: 'ticks' },
      ...['hints', 'undo', 'warn', 'forbidden'].map((name) => tick({ name, words: t(`start.assist_${name}`), checked: kept[name] })))),
    el('div', { class: 'pair', 'data-field': 'warn_from' }, count('warn_from', 1, 100)),
  ];
}

function levelField(name, value, t) {
  return el('div', { class: 'level', 'data-field': name },
    el('label', { for: `level-${name}`, 'data-say': `${name}-name`, text: t('start.level') }),
    el('input', { type: 'range', id: `level-${name}`, name, min: 1, max: FULL, step: 1, value }),
    el('p', { class: 'small muted', 'data-say': name }));
}

/** Shows the fields that apply to the choices, and explains the choices. */
function showFields(form, about, t) {
  const chosen = read(form);
  const renju = chosen.rule === 'renju';
  const plays = chosen.mode === 'engine' || chosen.mode === 'engines';
  fitOpenings(form, chosen);
  const shown = {
    colour: chosen.mode === 'engine', names: chosen.mode === 'persons', rival: plays, rival_other: chosen.mode === 'engines', level: plays && chosen.rival === TENGEN,
    other: chosen.mode === 'engines' && chosen.rival_other === TENGEN, size: !renju, measures: !renju && chosen.size === 'other',
    opening: chosen.mode !== 'study', first: chosen.mode === 'study', clock: chosen.mode !== 'study', assist: chosen.mode === 'engine' || chosen.mode === 'persons',
    warn_from: chosen.warn && (chosen.mode === 'engine' || chosen.mode === 'persons'),
    seconds: chosen.mode !== 'study' && chosen.clock === 'move', minutes: chosen.mode !== 'study' && chosen.clock === 'game',
  };
  for (const [name, on] of Object.entries(shown)) {
    const field = form.querySelector(`[data-field="${name}"]`);
    if (!field) continue;
    field.hidden = !on;
    for (const input of field.querySelectorAll('input')) input.disabled = !on && ['measures', 'seconds', 'minutes', 'warn_from'].includes(name);
  }
  const say = (name, words) => {
    form.querySelector(`[data-say="${name}"]`).textContent = words;
  };
  for (const [name, side] of [['rival', 'black'], ['rival_other', 'white']]) {
    const legend = form.querySelector(`[data-field="${name}"] legend`);
    if (legend) legend.textContent = chosen.mode === 'engines' ? t(`start.rival_${side}`) : t('start.rival');
  }
  say('rule', t(`start.rule_${chosen.rule}`));
  say('opening', chosen.mode === 'study' ? '' : t(`start.opens_${form.elements.opening.value}`));
  for (const name of ['level', 'other']) {
    const words = levelName(chosen[name], t);
    say(name, levelLine(chosen[name], about, t));
    say(`${name}-name`, chosen.mode === 'engines' ? `${t(name === 'level' ? 'side.black' : 'side.white')}: ${words}` : words);
    form.elements[name].setAttribute('aria-valuetext', words);
  }
}

/**
 * Hides the openings that the rule and the board do not have. If the chosen one is among them, none is chosen.
 * @param {any} form
 * @param {any} chosen
 */
function fitOpenings(form, { rule, size, width, height }) {
  const sides = rule === 'renju' ? [15] : size === 'other' ? [width, height] : [Number(size)];
  const centre = sides.every((side) => side % 2 === 1 && side >= 9);
  const fits = (name) => ANY.includes(name) || (centre && (CENTRED.includes(name) || rule === 'renju'));
  for (const input of form.querySelectorAll('[name="opening"]')) {
    input.closest('label').hidden = !fits(input.value);
    if (input.checked && !fits(input.value)) form.elements.opening.value = 'none';
  }
}

const levelName = (level, t) => (level >= FULL ? t('player.full') : t('start.level_name', { level, word: t(`level.${level}`) }));

/** A plain description of a level. */
function levelLine(level, about, t) {
  if (level >= FULL) return t('start.level_full');
  const nodes = about.levels.find((one) => one.level === level)?.nodes ?? 0;
  return t(level === 1 ? 'start.level_one' : 'start.level_line', { nodes: nodes.toLocaleString(document.documentElement.lang) });
}

/** The values of the form, as numbers and booleans where they are such. */
function read(form) {
  const chosen = {};
  for (const [name, first] of Object.entries(FIRST)) {
    const field = form.elements[name];
    if (!field) chosen[name] = first;
    else if (typeof first === 'boolean') chosen[name] = field.checked;
    else chosen[name] = typeof first === 'number' ? Number(field.value) : field.value;
  }
  return chosen;
}

/** The command `new` for these choices. */
function newGame(chosen) {
  const person = (name) => ({ kind: 'person', name: chosen.mode === 'persons' ? name.trim() : '' });
  const engine = (rival, level) => (rival === TENGEN ? { kind: 'engine', level: level >= FULL ? null : level } : { kind: 'other', name: rival.slice(OTHER.length) });
  const opponent = engine(chosen.rival, chosen.level);
  const sides = {
    engine: chosen.colour === 'white' ? [opponent, person('')] : [person(''), opponent],
    persons: [person(chosen.black), person(chosen.white)],
    engines: [opponent, engine(chosen.rival_other, chosen.other)],
    study: [person(''), person('')],
  };
  const clocks = {
    none: { kind: 'none' },
    move: { kind: 'move', ms: Math.round(chosen.seconds * 1000) },
    game: { kind: 'game', ms: Math.round(chosen.minutes * 60_000), increment_ms: Math.round(chosen.increment * 1000) },
  };
  const study = chosen.mode === 'study';
  const side = Number(chosen.size);
  const size = chosen.rule === 'renju' ? [15, 15] : chosen.size === 'other' ? [chosen.width, chosen.height] : [side, side];
  const [black, white] = sides[chosen.mode];
  const { hints, undo, warn, warn_from, forbidden } = chosen;
  // A study and a game of two engines have the server's default, which restricts nothing, whatever was chosen for
  // another game.
  const looksOn = study || chosen.mode === 'engines';
  return {
    rule: chosen.rule, size, opening: study ? 'none' : chosen.opening, black, white,
    ...(study && chosen.first === 'white' ? { start: { stones: [], to_move: 'white' } } : {}),
    by_lot: chosen.mode === 'engine' && chosen.colour === 'lot',
    clock: clocks[study ? 'none' : chosen.clock],
    ...(study ? { study } : {}),
    ...(looksOn ? {} : { assist: { hints, undo, warn, warn_from, forbidden } }),
  };
}

/** The text in the header: rule, size, players. */
export function subject(state, t) {
  const { game } = state;
  const opening = game.opening === 'none' ? [] : [t(`start.opening_${game.opening}`)];
  const named = state.named ? [openingName(state.named)] : [];
  const names = `${playerName(state, 'black', t)} – ${playerName(state, 'white', t)}`;
  return [names, t(`rule.${game.rule}`), game.size.join(' × '), ...opening, ...named].join(' · ');
}
