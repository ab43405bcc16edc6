/** Chinese words, by key. One key a line; the frame's first, those of the panels at the end. */
export default {
  // The frame.
  'top.actions': '程序',

  // Panels: analysis, graph, proof, review, setup.

};
