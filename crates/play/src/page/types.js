/**
 * Types of the page, for editors and `tsc --checkJs`; this file has no code. `view.rs` describes the data from the
 * server; only types that need a name have one here.
 *
 * @typedef {'black'|'white'} Side
 *
 * @typedef {object} Value
 * @property {number} win_rate Black's, 0 to 1
 * @property {number|null} score
 * @property {{side: Side, plies: number}|null} win
 * @property {number} depth
 * @property {number} nodes
 *
 * @typedef {object} Branch
 * @property {number} node
 * @property {string|null} at
 * @property {string|number|{offer: string}} [choice]
 * @property {string} text
 *
 * @typedef {object} LineNode
 * @property {number} node
 * @property {number} number
 * @property {string|null} at
 * @property {string|number|{offer: string}} [choice] an answer in the opening
 * @property {Side|null} side
 * @property {number|null} ms
 * @property {Value|null} value
 * @property {string} comment
 * @property {Branch[]} siblings
 *
 * @typedef {object} State the whole game; see `State` in view.rs for all fields
 * @property {number} rev
 * @property {any} game
 * @property {LineNode[]} line
 * @property {number} ply
 * @property {number} node
 * @property {Branch[]} children
 * @property {any} board
 * @property {{code: string, name: string, japanese: string}|null} named
 * @property {any} status
 * @property {any} turn
 * @property {{black_ms: number, white_ms: number, running: Side|null}|null} clock
 * @property {{job: number, kind: string, side: Side, ms: number}|null} thinking
 * @property {{engine: string, kind: string, detail: string, lines: string[]}|null} fault of another engine at its turn
 * @property {boolean} paused
 * @property {boolean} opinion whether values of positions are shown
 * @property {{on: boolean, lines: number, avoid: string[], threat: boolean, second: string|null}} analysis
 * @property {Object<string, boolean>} can
 * @property {any} offer
 * @property {number|null} review
 * @property {{threads: number, processors: number, hash_mb: number}} settings
 * @property {{name: string, stores: boolean, problem: string|null, changes: number}|null} database
 *
 * @typedef {object} Store
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} set
 * @property {(name: string, watcher: (value: any) => void) => () => void} watch calls the watcher at once if there is a
 *   value, then at each `set`; returns a function that ends it
 *
 * Names in the store: `about`, `state`, `tree` (the rows of tree-layout.js with their game and version), and the newest event of each other name (`analysis`, `opinion`, `hint`, `proof`, `tried`,
 * `balance`, `review`, `warned`, `message`); `link` (`live`, `lost`, `ended`, `replaced`, `locked`, `broken`, `unsupported`); `tab` (`game`, `analysis`,
 * `explorer`, `review`, `puzzles`, `setup`, `log`); `raw`, true while all overlays are hidden; `quiz`, true while the person looks for mistakes or solves a puzzle and
 * nothing may help; `puzzling`, true while the board shows a puzzle; `proving`, true while the board shows a proof; `hover`, the label under the pointer or null;
 * `aside`, whether the shown move is not on the main line.
 *
 * @typedef {object} Api
 * @property {() => Promise<{about: any, state: State, fresh: boolean}>} hello
 * @property {(name: string, fields?: object|(() => object|null)) => Promise<{rev: number, job: number|null}|null>} command
 *   a function for the fields is called once the page shows what earlier commands did, since keys may be pressed faster
 *   than the board answers; it may return null for no command. Throws `Refused`.
 * @property {() => Promise<void>} settled resolves once the page shows what all commands so far did
 * @property {(sources: string) => Promise<any>} explore what the database says about the shown position, or null while that would help a player; see explorer.rs
 * @property {(name: string, bytes: BodyInit) => Promise<{games: any[], loaded: boolean}>} importFile
 * @property {(format: string) => Promise<{name: string, blob: Blob}>} exportFile
 * @property {(body: object) => Promise<any>} puzzles asks the puzzle trainer; see trainer.rs
 * @property {(onEvent: (name: string, data: any) => void, onLink: (link: string) => void) => () => void} listen
 *
 * @typedef {object} Connection what carries requests to the board and events back; requests throw `Refused`
 * @property {() => Promise<{about: any, state: State, fresh: boolean}>} hello
 * @property {() => Promise<any>} state the whole state, with the tree
 * @property {(body: object) => Promise<{rev: number, job: number|null}>} command
 * @property {(sources: string) => Promise<any>} explore
 * @property {(name: string, bytes: BodyInit) => Promise<{games: any[], loaded: boolean}>} importFile
 * @property {(format: string) => Promise<{name: string, blob: Blob}>} exportFile
 * @property {(body: object) => Promise<any>} puzzles
 * @property {(onEvent: (name: string, data: any) => void, onLink: (link: string) => void) => () => void} listen
 *
 * @typedef {object} Ghost a stone that is only drawn
 * @property {string} at
 * @property {Side} side
 * @property {string} [label]
 *
 * @typedef {object} Candidate a move of the analysis
 * @property {string} at
 * @property {number} klass 0 best to 5 blunder: its colour
 * @property {string} value short text, such as `63` or `M5`
 * @property {Side|null} [side] whose value it is
 * @property {string} [depth]
 * @property {number} [rank] from 1
 * @property {string} [sign] `★` proven win, `✕` proven loss
 * @property {number} [share] of the nodes, 0 to 1: opacity
 *
 * @typedef {object} Mark
 * @property {string} at
 * @property {'circle'|'square'|'triangle'|'cross'|'dot'|'label'} shape
 * @property {string} [text] for `label`
 * @property {'accent'|'second'|'good'|'bad'} [tone]
 *
 * @typedef {object} Arrow
 * @property {string} from
 * @property {string} to
 * @property {number} [fade] 0 to 1, how much it is faded
 * @property {'accent'|'second'} [tone]
 *
 * @typedef {object} Overlay what a panel shows on the board. Lists are added to those of other overlays; `stones`
 *   replaces the stones of the game, as the setup requires.
 * @property {Ghost[]} [ghosts]
 * @property {Candidate[]} [candidates]
 * @property {{at: string, state: string}[]} [roots] `searching`, `searched`, `lost`, `best`
 * @property {Mark[]} [marks]
 * @property {Arrow[]} [arrows]
 * @property {{at: string, side: Side, number?: number, label?: string, red?: boolean}[]} [stones]
 * @property {[number, number]} [size]
 * @property {string[]} [blocked]
 * @property {Side} [to_move]
 *
 * @typedef {object} Context what a panel is given
 * @property {Store} store
 * @property {Store} view view settings; names in `PREFERENCES` of store.js
 * @property {Api} api
 * @property {(name: string, fields?: object|(() => object|null)) => Promise<{rev: number, job: number|null}|null>} send `api.command`;
 *   shows a refusal to the person and returns null then
 * @property {(key: string, values?: object) => string} t
 * @property {Board} board
 * @property {(text: string, urgent?: boolean) => void} announce to screen readers
 * @property {(text: string, level?: 'info'|'warning'|'error', button?: HTMLElement|null) => HTMLElement} toast a line that goes away
 * @property {(action: string, run: (event?: KeyboardEvent) => void) => void} action registers the action of a key or a
 *   button of that name; names in `ACTIONS` of keys.js
 * @property {(name: string) => void} show opens a tab
 * @property {(name: string) => void} acts runs an action by its name, as its button or key would
 * @property {any} keys see `createKeys` in keys.js
 * @property {() => Promise<boolean>} sure asks whether unsaved moves may be discarded; true at once if there are none
 * @property {{bar: HTMLElement}} slots `bar` is beside the board: 12 px wide; on small screens 12 px high
 *
 * @typedef {object} Board
 * @property {(moves: string[]|null, side?: Side) => void} preview shows moves as numbered ghosts, first the side to move (or
 *   `side`); null ends it
 * @property {(name: string, data: Overlay|null) => void} overlay replaces the overlay of that name
 * @property {(at: string|null) => void} highlight rings one point
 * @property {(take: ((at: string, event: Event) => void)|null) => void} capture sends clicks on points to `take`
 *   instead of making moves; null ends this
 * @property {(take: (at: string|null, steps: number) => boolean) => void} wheel calls `take` first when the wheel turns
 *   over the board; `take` returns true if it has used the movement
 */
export {};
