//! Parses the lines that people type: a command and its arguments.

use tengen::board::{BoardSize, Side, parse_point};
use tengen::engine::Means;
use tengen::rules::Rule;
use tengen_record::rule_of_text;
use tengen_session::command::{Answer, Assist, Choice, Clock, NewGame, OpeningRule, Player};
use tengen_session::level;

/// A parsed line.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// A stone on the point with this label.
    Move(String),
    /// Another game, described by these words.
    New(Vec<String>),
    /// A command without arguments.
    Simple(Simple),
    /// An answer in the opening. Outside of an opening `swap` exchanges the players.
    Answer(Answer),
    /// Analysis: seconds and lines.
    Analyse(f64, usize),
    /// A proof for a side, by moves of this kind.
    Prove(Option<Side>, Means),
    /// A judgement of a move.
    Try(String),
    /// Stones that make the position even.
    Balance(u8),
    /// A review with this many nodes a position.
    Review(Option<u64>),
    /// Writes a file.
    Save(String),
    /// Reads a file; of several games it takes the one with this number.
    Load(String, Option<usize>),
    /// Goes to the position after this many moves.
    Goto(usize),
    /// Follows the variation with this number.
    Branch(usize),
    /// A comment on the current move.
    Comment(String),
    /// The four lines through a point.
    Line(String),
    /// The content of a point.
    At(String),
    /// A row by its number.
    Row(String),
    /// A column by its letter.
    Column(String),
    /// Threads of the engine.
    Threads(usize),
    /// Size of the engine's transposition table in mebibytes.
    Hash(u64),
    /// Whether the board is drawn after each move.
    Board(bool),
}

/// Commands without arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simple {
    /// Back to before the last own move.
    Undo,
    /// Forward again.
    Redo,
    /// The same game again.
    Restart,
    /// The engine's advice.
    Hint,
    /// The engine moves.
    Go,
    /// Tengen plays on in the place of another engine.
    Substitute,
    /// The engine stops.
    Stop,
    /// Pauses a game of two engines.
    Pause,
    /// Resumes it.
    Resume,
    /// Resigns.
    Resign,
    /// Offers a draw.
    Draw,
    /// Continues the saved game.
    Continue,
    /// Drops the offer of a saved game.
    Dismiss,
    /// One move back.
    Back,
    /// One move forward.
    Forward,
    /// To the start.
    First,
    /// To the end.
    Last,
    /// The board.
    Show,
    /// The moves.
    Moves,
    /// The last move.
    LastMove,
    /// The threats on the board.
    Threats,
    /// The points where Black must not play.
    Forbidden,
    /// The clocks.
    Time,
    /// A description of the game.
    Game,
    /// The commands.
    Help,
    /// Ends the program.
    Quit,
}

const SIMPLE: [(&str, Simple); 29] = [
    ("undo", Simple::Undo),
    ("redo", Simple::Redo),
    ("restart", Simple::Restart),
    ("hint", Simple::Hint),
    ("go", Simple::Go),
    ("substitute", Simple::Substitute),
    ("stop", Simple::Stop),
    ("pause", Simple::Pause),
    ("resume", Simple::Resume),
    ("resign", Simple::Resign),
    ("draw", Simple::Draw),
    ("continue", Simple::Continue),
    ("dismiss", Simple::Dismiss),
    ("back", Simple::Back),
    ("forward", Simple::Forward),
    ("first", Simple::First),
    ("end", Simple::Last),
    ("show", Simple::Show),
    ("moves", Simple::Moves),
    ("last", Simple::LastMove),
    ("threats", Simple::Threats),
    ("forbidden", Simple::Forbidden),
    ("time", Simple::Time),
    ("clock", Simple::Time),
    ("game", Simple::Game),
    ("help", Simple::Help),
    ("?", Simple::Help),
    ("quit", Simple::Quit),
    ("exit", Simple::Quit),
];

/// The text of `help`.
pub const HELP: &str = "\
h8               a stone on h8
undo, redo       back to before your last move, and forward again
go               the engine moves for the side to move; while it thinks, at once
substitute       Tengen goes on in the place of another engine that is to move
stop             the engine stops thinking
hint             the engine's advice
new [WORDS]      another game, for example: new rule=renju size=15 black=me white=engine:5 time=10m+5s
                 rule=freestyle, standard, renju, caro, caro-exact; size=15 or 20x15; black= and white= me, engine,
                 engine:1 to engine:10; time=10m (a game), 10m+5s (with an increment), 30s/move; lot;
                 opening=free, pro, long-pro, swap, swap2; in renju also rif, yamaguchi, soosorv-8, tarannikov,
                 taraguchi-10; warn=20 (of moves that lose 20 points of winning chances), warn=off
restart          the same game again
stay, swap, two, ten   answers in an opening; swap elsewhere: the players exchange colours
fifths N         the number of fifth moves, where an opening asks for it
resign, draw     give up, offer a draw
pause, resume    hold a game of two engines, and go on
show, moves      the board, the moves; board off: it is drawn only when asked for
last, time, game the last move, the clocks, the players
threats, forbidden          points that matter
at h8, line h8, row 8, column h   what is there, in words
back, forward, first, end, goto N, branch N   look around in the game
analyse [SECONDS [LINES]]   what the engine sees
prove [black|white] [fours|threats|any]   a forced win
try h8           the judgement of a move
balance 1|2      moves that leave the position even
review [NODES]   all moves of the game judged
save FILE        by the ending: .sgf .psq .pos .sav .txt .svg .json, and after a review .review.sgf .review.svg .review.json
load FILE [N]    a file of games, or its game N
comment TEXT     a comment on the current move
continue, dismiss   go on with the game of last time, or forget it
threads N, hash MB  engine settings
help             this list
quit             the end; the game is saved";

/// Parses a line; `None` for an empty one.
///
/// # Errors
/// What is wrong with it, in one line.
pub fn parse(line: &str) -> Result<Option<Ask>, String> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()));
    let lower = word.to_lowercase();
    let words: Vec<&str> = rest.split_whitespace().collect();
    if word.is_empty() || word.starts_with('#') {
        return Ok(None);
    }
    if let Some((_, simple)) = SIMPLE.iter().find(|(name, _)| *name == lower) {
        return match words.first() {
            Some(extra) => Err(format!("{lower} takes nothing after it, but there is {extra:?}")),
            None => Ok(Some(Ask::Simple(*simple))),
        };
    }
    let one = || match words[..] {
        [word] => Ok(word.to_lowercase()),
        _ => Err(format!("{lower} wants one word after it")),
    };
    let number = |text: &str| text.parse::<usize>().map_err(|_| format!("{text:?} is no number"));
    Ok(Some(match lower.as_str() {
        "new" => Ask::New(words.iter().map(|word| (*word).to_owned()).collect()),
        "fifths" => Ask::Answer(Answer::Number(number(&one()?)?.try_into().unwrap_or(u8::MAX))),
        "analyse" | "analyze" => analyse(&words)?,
        "prove" => prove(&words)?,
        "try" => Ask::Try(one()?),
        "balance" => Ask::Balance(number(&one()?)?.try_into().unwrap_or(u8::MAX)),
        "review" => match words[..] {
            [] => Ask::Review(None),
            _ => Ask::Review(Some(number(&one()?)? as u64)),
        },
        "save" if !rest.is_empty() => Ask::Save(rest.to_owned()),
        "load" if !rest.is_empty() => match rest.rsplit_once(char::is_whitespace) {
            Some((file, last)) if last.bytes().all(|c| c.is_ascii_digit()) => {
                Ask::Load(file.trim().to_owned(), Some(number(last)?))
            }
            _ => Ask::Load(rest.to_owned(), None),
        },
        "save" | "load" => return Err(format!("{lower} wants the name of a file")),
        "goto" => Ask::Goto(number(&one()?)?),
        "branch" => Ask::Branch(number(&one()?)?),
        "comment" => Ask::Comment(rest.to_owned()),
        "line" => Ask::Line(one()?),
        "at" => Ask::At(one()?),
        "row" => Ask::Row(one()?),
        "column" => Ask::Column(one()?),
        "threads" => Ask::Threads(number(&one()?)?),
        "hash" => Ask::Hash(number(&one()?)? as u64),
        "board" => match one()?.as_str() {
            "on" => Ask::Board(true),
            "off" => Ask::Board(false),
            other => return Err(format!("board on or board off, not {other:?}")),
        },
        _ if words.is_empty() && looks_like_label(&lower) => Ask::Move(lower),
        _ if words.is_empty() && Choice::from_name(&lower).is_some() => {
            Ask::Answer(Answer::Choice(Choice::from_name(&lower).unwrap_or(Choice::Stay)))
        }
        _ => {
            let shown: String = word.chars().filter(|c| !c.is_control()).take(20).collect();
            return Err(format!("unknown command {shown:?}; help lists them"));
        }
    }))
}

/// Whether a word is a point of some board.
fn looks_like_label(word: &str) -> bool {
    BoardSize::new(25, 25).is_some_and(|size| parse_point(size, word).is_ok())
        || (word.len() > 1
            && word.starts_with(|c: char| c.is_ascii_lowercase())
            && word[1..].bytes().all(|c| c.is_ascii_digit()))
}

fn analyse(words: &[&str]) -> Result<Ask, String> {
    let seconds = match words.first() {
        None => 3.0,
        Some(text) => {
            let seconds = text.parse::<f64>().ok().filter(|s| (0.05..=86_400.0).contains(s));
            seconds.ok_or_else(|| format!("{text:?} is no number of seconds"))?
        }
    };
    let lines = match words.get(1) {
        None => 3,
        Some(text) => text.parse().map_err(|_| format!("{text:?} is no number of lines"))?,
    };
    match words.len() {
        0..=2 => Ok(Ask::Analyse(seconds, lines)),
        _ => Err("analyse wants seconds and a number of lines".to_owned()),
    }
}

fn prove(words: &[&str]) -> Result<Ask, String> {
    let (mut side, mut means) = (None, Means::Any);
    for word in words {
        match word.to_lowercase().as_str() {
            "black" => side = Some(Side::Black),
            "white" => side = Some(Side::White),
            "fours" => means = Means::Fours,
            "threats" => means = Means::Threats,
            "any" => means = Means::Any,
            other => return Err(format!("prove takes a side, and fours, threats or any; not {other:?}")),
        }
    }
    Ok(Ask::Prove(side, means))
}

/// The game that the words describe; everything else is as before.
///
/// # Errors
/// The unknown word, in one line.
pub fn new_game(words: &[String], before: NewGame) -> Result<NewGame, String> {
    let mut game = before;
    for word in words {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        match name.to_lowercase().as_str() {
            "rule" => game.rule = rule(value)?,
            "size" => game.size = size(value)?,
            "black" => game.black = player(value)?,
            "white" => game.white = player(value)?,
            "time" => game.clock = clock(value)?,
            "opening" => {
                let name = if value.is_empty() { "free" } else { value };
                game.opening = name.parse().map_err(|unknown| format!("no opening {value:?}: {unknown}"))?;
                let names_rule = words.iter().any(|word| word.to_lowercase().starts_with("rule="));
                if game.opening.is_renju() && !names_rule {
                    game.rule = Rule::Renju;
                }
            }
            "swap2" => game.opening = OpeningRule::Swap2,
            "lot" => game.by_lot = true,
            "warn" => game.assist = warn(value, game.assist)?,
            _ => return Err(format!("new does not know {name:?}: rule= size= black= white= time= opening= lot warn=")),
        }
    }
    Ok(game)
}

/// Parses the setting of warnings: the smallest loss that causes one, an empty text for the default loss, or `off`.
///
/// # Errors
/// If the text is neither.
pub fn warn(text: &str, before: Assist) -> Result<Assist, String> {
    let usual = Assist::default().warn_from;
    Ok(match text {
        "off" => Assist { warn: false, ..before },
        "" | "on" => Assist { warn: true, warn_from: usual, ..before },
        points => match points.parse() {
            Ok(warn_from @ 1..=100) => Assist { warn: true, warn_from, ..before },
            _ => return Err(format!("no loss of {points:?} points: 1 to 100, or off")),
        },
    })
}

/// Parses the name of a rule.
///
/// # Errors
/// If there is no such rule.
pub fn rule(text: &str) -> Result<Rule, String> {
    let names = || Rule::ALL.map(Rule::name).join(", ");
    rule_of_text(text).ok_or_else(|| format!("no rule {text:?}; there are {}", names()))
}

/// Parses a board's size: `15`, or `20x15`.
///
/// # Errors
/// If there is no such board.
pub fn size(text: &str) -> Result<(u8, u8), String> {
    let size: Result<BoardSize, _> = text.parse();
    size.map(|size| (size.width(), size.height()))
        .map_err(|_| format!("no board of {text:?}: 15, or 20x15, with 5 to 25 points a side"))
}

/// Parses a player: `me`, `engine`, `engine:5`, `other:Rapfi`.
///
/// # Errors
/// If there is no such player.
pub fn player(text: &str) -> Result<Player, String> {
    let engine = |level| Ok(Player::Engine { level });
    match text.split_once(':').unwrap_or((text, "")) {
        ("me" | "person" | "human", name) => Ok(Player::Person { name: name.to_owned() }),
        ("engine" | "tengen", "") => engine(None),
        ("engine" | "tengen", level) => match level.parse() {
            Ok(level @ 1..=10) => engine(Some(level)),
            _ => Err(format!("no level {level:?}: 1 to 10")),
        },
        ("other", name) if !name.is_empty() => Ok(Player::Other { name: name.to_owned() }),
        _ => Err(format!("no player {text:?}: me, engine, engine:1 to engine:10, or other:NAME of a declared engine")),
    }
}

/// Parses a clock: `10m`, `10m+5s`, `30s/move`, `none`.
///
/// # Errors
/// If the text is not a clock.
pub fn clock(text: &str) -> Result<Clock, String> {
    let wrong = || format!("no time {text:?}: 10m, 10m+5s, 30s/move, or none");
    if text == "none" {
        return Ok(Clock::None);
    }
    if let Some(turn) = text.strip_suffix("/move") {
        return Ok(Clock::Move { ms: duration(turn).ok_or_else(wrong)? });
    }
    let (all, more) = text.split_once('+').unwrap_or((text, "0s"));
    let (ms, increment_ms) = duration(all).zip(duration(more)).ok_or_else(wrong)?;
    Ok(Clock::Game { ms, increment_ms })
}

/// Milliseconds of `90s`, `5m` or `1h`.
fn duration(text: &str) -> Option<u64> {
    let unit = text.chars().last()?;
    let times = match unit {
        's' => 1_000.0,
        'm' => 60_000.0,
        'h' => 3_600_000.0,
        _ => return None,
    };
    let number: f64 = text[..text.len() - 1].parse().ok()?;
    (0.0..1e6).contains(&number).then_some((number * times) as u64)
}

/// The default game: a person against the default level.
pub fn usual_game() -> NewGame {
    NewGame {
        rule: Rule::Freestyle,
        size: (15, 15),
        opening: OpeningRule::Free,
        black: Player::Person { name: String::new() },
        white: Player::Engine { level: Some(level::DEFAULT) },
        by_lot: false,
        clock: Clock::None,
        assist: Assist::default(),
        start: None,
        study: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_understood_or_refused_in_words() {
        let of = |line: &str| parse(line).unwrap_or_else(|e| panic!("{line}: {e}"));
        assert_eq!(of("  "), None);
        assert_eq!(of("# a remark"), None);
        assert_eq!(of("H8"), Some(Ask::Move("h8".to_owned())));
        assert_eq!(of("z99"), Some(Ask::Move("z99".to_owned())), "the board says that there is no such point");
        assert_eq!(of("Undo"), Some(Ask::Simple(Simple::Undo)));
        assert_eq!(of("save my game.sgf"), Some(Ask::Save("my game.sgf".to_owned())));
        assert_eq!(of("load my games.sgf 3"), Some(Ask::Load("my games.sgf".to_owned(), Some(3))));
        assert_eq!(of("prove white fours"), Some(Ask::Prove(Some(Side::White), Means::Fours)));
        assert_eq!(of("analyse 0.5 2"), Some(Ask::Analyse(0.5, 2)));
        for bad in ["undo 3", "frobnicate", "save", "goto x", "analyse inf", "prove red", "board maybe", "é", "8h"] {
            let error = parse(bad).expect_err(bad);
            assert!(!error.is_empty() && !error.contains('\n'), "{bad}: {error}");
        }
        for (name, _) in SIMPLE {
            assert!(HELP.contains(name) || ["clock", "?", "exit"].contains(&name), "{name} is not explained");
        }
    }

    #[test]
    fn games_are_described_by_words() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let text = "rule=renju size=20x15 black=engine:10 white=me:Ann time=10m+2.5s opening=swap2 lot warn=35";
        let renju = new_game(&words("opening=rif"), usual_game()).unwrap();
        assert_eq!((renju.rule, renju.opening), (Rule::Renju, OpeningRule::Rif));
        let game = new_game(&words(text), usual_game()).unwrap();
        assert_eq!(
            (game.rule, game.size, game.opening, game.by_lot),
            (Rule::Renju, (20, 15), OpeningRule::Swap2, true)
        );
        assert_eq!((game.assist.warn, game.assist.warn_from), (true, 35));
        let other = new_game(&words("warn"), game.clone()).unwrap();
        assert_eq!((other.assist.warn, other.assist.warn_from), (true, 20));
        assert!(!new_game(&words("warn=off"), other).unwrap().assist.warn);
        assert_eq!(game.black, Player::Engine { level: Some(10) });
        assert_eq!(game.white, Player::Person { name: "Ann".to_owned() });
        assert_eq!(game.clock, Clock::Game { ms: 600_000, increment_ms: 2_500 });
        assert_eq!(clock("30s/move"), Ok(Clock::Move { ms: 30_000 }));
        for bad in [
            "rule=go",
            "size=99",
            "size=4x9",
            "black=engine:11",
            "white=deep",
            "time=5",
            "time=-5s",
            "x",
            "opening=professional",
            "warn=0",
            "warn=101",
            "warn=ever",
        ] {
            assert!(new_game(&words(bad), usual_game()).is_err(), "{bad}");
        }
    }
}
