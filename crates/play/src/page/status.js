/** The state of the game in words: the players, the turn, the result. Also the texts of times. */

/**
 * The sentence under the players.
 * @param {import('./types.js').State} state
 * @param {(key: string, values?: object) => string} t
 */
export function sentence(state, t) {
  const { status } = state;
  if (status.kind === 'draw') return t(status.agreed ? 'status.draw_agreed' : 'status.draw_full');
  if (status.kind === 'win') return victory(status, t);
  const isYou = state.turn.phase !== 'move' && playerName(state, state.turn.side, t) === t('player.you');
  const words = t(`status.${state.turn.phase}${isYou ? '.you' : ''}`, {
    number: (state.line[state.ply - 1]?.number ?? 0) + 1,
    side: t(`side.${state.board.to_move}`),
    name: playerName(state, state.turn.side, t),
  });
  return state.paused ? `${words} ${t('status.paused')}` : words;
}

/**
 * The last move with a stone: answers in the opening and passes have none.
 * @param {import('./types.js').State} state
 * @returns {import('./types.js').LineNode|undefined}
 */
export const lastStone = (state) => state.line.slice(0, state.ply).findLast((move) => move.at);

/**
 * The name of a move or a branch in lists.
 * @param {{at: string|null, choice?: string|number|{offer: string}|null}} move
 * @param {(key: string, values?: object) => string} t
 */
export function moveName({ at, choice }, t) {
  if (at) return at;
  if (typeof choice === 'number') return t('moves.number', { number: choice });
  if (choice && typeof choice === 'object') return t('moves.offer', { at: choice.offer });
  return t(`moves.${choice ?? 'pass'}`);
}

function victory({ side, how, row }, t) {
  const other = side === 'black' ? 'white' : 'black';
  const values = { side: t(`side.${side}`), other: t(`side.${other}`), row: row.length ? `${row[0]}–${row[row.length - 1]}` : '' };
  return t(`status.win_${how}`, values);
}

/**
 * The name of a side's player.
 * @param {import('./types.js').State} state
 * @param {'black'|'white'} side
 * @param {(key: string, values?: object) => string} t
 */
export function playerName({ game }, side, t) {
  const player = game[side];
  if (player.kind === 'other') return player.name;
  if (player.kind === 'engine') return player.level ? t('player.level', { level: player.level }) : t('player.full');
  return player.name || (game[side === 'black' ? 'white' : 'black'].kind !== 'person' ? t('player.you') : t(`side.${side}`));
}

/**
 * Time as minutes and seconds; tenths below ten seconds.
 * @param {number} ms
 */
export function clockText(ms) {
  const left = Math.max(0, ms);
  if (left < 10_000) return `0:0${(Math.floor(left / 100) / 10).toFixed(1)}`;
  const seconds = Math.ceil(left / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
