/**
 * The opening beside the board: what the player to act has to do, the answers as buttons, and what was chosen. Marks on
 * the board show where a stone may go, and the fifth moves that are offered.
 */

import { byId, el, patch, set } from './dom.js';
import { number } from './dialog.js';
import { playerName } from './status.js';

/** The steps of swap2, which the wizard lists. */
const STEPS = ['place_three', 'choose', 'place_two', 'choose_final', 'move'];

/** The largest number of points that get a dot each. */
const MOST_DOTS = 81;

/** The largest number of fifth moves that has buttons; a larger one is typed. */
const MOST_BUTTONS = 8;

/** Stones of the longest opening. */
const LONGEST = 5;

/**
 * @param {import('./types.js').Context & {acts: (name: string) => void}} context
 */
export function mountOpening({ store, t, send, acts, announce, board }) {
  const title = el('h3', {});
  const steps = el('ol', { class: 'steps' });
  const words = el('p');
  const chosen = el('p', { class: 'chosen' });
  const choices = el('div', { class: 'choices' });
  const rule = el('p', { class: 'small muted' });
  const back = el('button', { type: 'button', class: 'plain', text: t('opening.back'), on: { click: () => acts('undo') } });
  const box = byId('wizard');
  box.append(title, steps, chosen, words, choices, rule, back);
  let told = '';
  let named = '';

  store.watch('state', (state) => {
    const { turn, game } = state;
    board.overlay('opening', turn.opening && !turn.engine ? { marks: marks(state) } : null);
    named = tellName(state, named);
    const justOver = game.opening !== 'none' && turn.phase === 'move' && turn.chosen && state.board.stones.length <= LONGEST;
    box.hidden = !turn.opening && !justOver;
    if (box.hidden) return;
    title.textContent = t('opening.title', { opening: t(`start.opening_${game.opening}`) });
    rule.textContent = t(`start.opens_${game.opening}`);
    listSteps(state);
    words.textContent = turn.opening ? t(`opening.${turn.phase}${turn.engine ? '_engine' : ''}`, values(state)) : '';
    chosen.textContent = toldAnswer(state);
    if (chosen.textContent && chosen.textContent !== told) announce(chosen.textContent);
    told = chosen.textContent;
    offerChoices(turn);
    back.hidden = !state.can.undo;
  });

  /** The values of the sentences. */
  function values(state) {
    const { turn } = state;
    return { name: playerName(state, turn.side, t), side: t(`side.${state.board.to_move}`), stone: state.board.stones.length + 1,
      where: place(turn.opening), number: turn.opening.offered.length + 1, of: turn.opening.fifths };
  }

  /** Where the next stone belongs. */
  function place({ within, outside }) {
    if (within === 1) return t('opening.in_centre');
    if (within) return t('opening.within', { square: within });
    return outside ? t('opening.outside', { square: outside }) : t('opening.anywhere');
  }

  function listSteps({ turn, game, board: { stones } }) {
    steps.hidden = game.opening !== 'swap2';
    const shown = STEPS.filter((phase) => stones.length > 3 || turn.phase === 'place_two' || (phase !== 'place_two' && phase !== 'choose_final'));
    const items = shown.map((phase) => ({ phase, now: phase === turn.phase, done: STEPS.indexOf(phase) < STEPS.indexOf(turn.phase) }));
    patch(steps, items, {
      key: ({ phase }) => phase,
      make: ({ phase }) => el('li', { text: t(`opening.step_${phase}`) }),
      update: (node, { now, done }) => set(node, { 'aria-current': now ? 'step' : null, class: done ? 'done' : '' }),
    });
  }

  /** The engine's last answer. */
  function toldAnswer(state) {
    const answer = state.turn.chosen;
    if (answer === null || answer === undefined) return '';
    if (typeof answer === 'number') return t('opening.engine_number', { number: answer });
    if (typeof answer === 'object') return t('opening.engine_offer', { at: answer.offer });
    return t(`opening.engine_${answer}`, { white: playerName(state, 'white', t), black: playerName(state, 'black', t) });
  }

  /** Buttons for the answers, or for the number of fifth moves. */
  function offerChoices({ engine, opening, side }) {
    const most = engine || !opening ? 0 : opening.most;
    const possible = engine || !opening ? [] : opening.choices;
    const numbers = Array.from({ length: Math.min(most, MOST_BUTTONS) }, (_, index) => index + 1);
    const items = [...possible, ...numbers].map((choice) => ({ choice, side: colourAfter(choice, side) }));
    if (most > MOST_BUTTONS) items.push({ choice: 'more', side });
    choices.hidden = !items.length;
    patch(choices, items, {
      key: ({ choice, side: colour }) => `${choice} ${colour}`,
      make: ({ choice, side: colour }) => (choice === 'more' ? numberField(most) : answerButton(choice, colour)),
    });
  }

  function answerButton(choice, side) {
    const text = typeof choice === 'number' ? String(choice) : t(`opening.${choice}`, { side: t(`side.${side}`) });
    return el('button', { type: 'button', class: 'main', 'data-choice': choice, text, on: { click: () => send('opening', { choice }) } });
  }

  /** A field for a number that has no button. */
  function numberField(most) {
    let choice = MOST_BUTTONS + 1;
    const change = (value) => {
      choice = value;
    };
    const field = number({ name: 'fifths', words: t('opening.more'), value: choice, min: 1, max: most, change });
    return el('div', { class: 'pair' }, field, el('button', { type: 'button', text: t('opening.declare'), on: { click: () => send('opening', { choice }) } }));
  }

  /** Announces the name of an opening of renju when it arises. */
  function tellName(state, before) {
    const now = state.named ? openingName(state.named) : '';
    if (now && now !== before && state.ply <= LONGEST) announce(now);
    return now;
  }
}

/**
 * The name of an opening of renju.
 * @param {{code: string, name: string, japanese: string}} named
 */
export const openingName = ({ code, name, japanese }) => `${name} ${japanese} (${code})`;

/** Dots where a stone may go, and the offered fifth moves. */
function marks({ turn: { opening, phase } }) {
  const offered = opening.offered.map((at) => ({ at, shape: 'square', tone: 'second' }));
  const points = phase === 'place' && opening.points && opening.points.length <= MOST_DOTS ? opening.points : [];
  return [...offered, ...points.map((at) => ({ at, shape: 'dot' }))];
}

/** The colour of a seat after its answer. */
function colourAfter(choice, side) {
  if (choice !== 'swap') return side;
  return side === 'black' ? 'white' : 'black';
}
