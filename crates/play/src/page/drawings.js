/** Arrows, circles and letters that a person draws on the board. They belong to a node and are lost when the page closes. */

/**
 * @param {import('./types.js').Context} context
 * @returns {(drawing: {from: string, to: string, shape: 'arrow'|'circle'|'label', second: boolean}) => void} draws, or removes
 *   what is there
 */
export function createDrawings({ store, board }) {
  const byNode = new Map();
  let game = null;

  const show = () => {
    const list = byNode.get(store.get('state')?.node) ?? [];
    const arrows = list.filter(({ shape }) => shape === 'arrow').map(({ from, to, second }) => ({ from, to, tone: second ? 'second' : 'accent' }));
    const marks = list.filter(({ shape }) => shape !== 'arrow')
      .map(({ to, shape, second, text }) => ({ at: to, shape, text, tone: second ? 'second' : 'accent' }));
    board.overlay('drawings', list.length ? { arrows, marks } : null);
  };

  store.watch('state', (state) => {
    if (state.game.id !== game) byNode.clear();
    game = state.game.id;
    show();
  });

  return (drawing) => {
    const { node } = store.get('state');
    const list = byNode.get(node) ?? [];
    const same = list.find(({ from, to, shape }) => from === drawing.from && to === drawing.to && shape === drawing.shape);
    const used = new Set(list.map(({ text }) => text));
    const text = drawing.shape === 'label' ? [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].find((letter) => !used.has(letter)) ?? '?' : undefined;
    byNode.set(node, same ? list.filter((other) => other !== same) : [...list, { ...drawing, text }]);
    show();
  };
}
