//! Properties of the protocol: any bytes are handled, every written line can be parsed, every search is answered.

use crate::table::Table;
use proptest::prelude::*;
use tengen::engine::{BoardSize, Point};
use tengen::protocol::{
    About, BodyLine, Command, DatabaseWord, Event, Extension, Key, Owner, Query, Reply, Setting, SoosorvStep,
    Swap2Step, Unsupported,
};

fn point() -> impl Strategy<Value = Point> {
    (0u8..25, 0u8..25).prop_map(|(x, y)| Point::at(x, y))
}

fn board_size() -> impl Strategy<Value = BoardSize> {
    (5u8..=25, 5u8..=25).prop_filter_map("a size", |(w, h)| BoardSize::new(w, h))
}

/// Text that starts and ends with a visible character, or is empty.
fn text() -> impl Strategy<Value = String> {
    "([!-~]([ -~]{0,20}[!-~])?)?"
}

fn setting() -> impl Strategy<Value = Setting> {
    prop_oneof![
        (proptest::sample::select(Key::ALL.to_vec()), any::<i64>().prop_map(|n| n.max(-i64::MAX)))
            .prop_map(|(key, value)| Setting::Known(key, value)),
        ("[a-z]{1,3}", text()).prop_map(|(key, value)| Setting::Other { key, value }),
        Just(Setting::Other { key: String::new(), value: String::new() }),
        Just(Setting::Other { key: "time_left".to_owned(), value: "soon".to_owned() }),
    ]
}

fn extension() -> impl Strategy<Value = Extension> {
    prop_oneof![
        proptest::sample::select(vec![
            Extension::ShowInfo,
            Extension::Board,
            Extension::Stop,
            Extension::ShowForbid,
            Extension::SearchDefend,
            Extension::HashClear,
            Extension::ShowHashUsage,
            Extension::Block,
            Extension::BlockUndo,
            Extension::BlockReset,
            Extension::Swap2Step(Swap2Step::Open),
            Extension::Swap2Step(Swap2Step::Reply),
            Extension::Swap2Step(Swap2Step::Final),
            Extension::Soosorv(SoosorvStep::Open),
            Extension::Soosorv(SoosorvStep::Reply),
            Extension::Soosorv(SoosorvStep::Fourth),
            Extension::Soosorv(SoosorvStep::Choose),
            Extension::Query(Query::All),
            Extension::Query(Query::AllText),
            Extension::Query(Query::One),
            Extension::Query(Query::Text),
        ]),
        (1usize..=625).prop_map(Extension::NBest),
        (-20_000i32..=20_000).prop_map(Extension::BalanceOne),
        (-20_000i32..=20_000).prop_map(Extension::BalanceTwo),
        (1u8..=50).prop_map(|fifths| Extension::Soosorv(SoosorvStep::Swap { fifths })),
        (1u8..=50).prop_map(|fifths| Extension::Soosorv(SoosorvStep::Offer { fifths })),
        text().prop_map(Extension::EditText),
        (proptest::sample::select(DatabaseWord::ALL.to_vec()), text())
            .prop_map(|(word, rest)| Extension::Database { word, rest }),
        (proptest::sample::select(Unsupported::all().collect::<Vec<_>>()), text())
            .prop_map(|(word, rest)| Extension::Unsupported { word, rest }),
    ]
}

fn command() -> impl Strategy<Value = Command> {
    prop_oneof![
        board_size().prop_map(Command::Start),
        point().prop_map(Command::Turn),
        point().prop_map(Command::Play),
        point().prop_map(Command::TakeBack),
        proptest::sample::select(vec![
            Command::Restart,
            Command::Begin,
            Command::Board,
            Command::Swap2Board,
            Command::Done,
            Command::About,
            Command::End,
            Command::Stop,
        ]),
        setting().prop_map(Command::Info),
        extension().prop_map(Command::Extension),
    ]
}

fn body_line() -> impl Strategy<Value = BodyLine> {
    let owners = vec![None, Some(Owner::Own), Some(Owner::Opponent), Some(Owner::Blocked)];
    prop_oneof![
        4 => (point(), proptest::sample::select(owners)).prop_map(|(point, owner)| BodyLine::Cell(point, owner)),
        1 => Just(BodyLine::Done),
    ]
}

fn reply() -> impl Strategy<Value = Reply> {
    let word = || "[!-~&&[^\"]]([ -~&&[^\"]]{0,10}[!-~&&[^\"]])?";
    prop_oneof![
        Just(Reply::Ok),
        Just(Reply::Swap),
        proptest::collection::vec(point(), 1..5).prop_map(Reply::Points),
        proptest::collection::vec(point(), 0..20).prop_map(Reply::Forbid),
        text().prop_map(Reply::Error),
        text().prop_map(Reply::Unknown),
        text().prop_map(Reply::Message),
        text().prop_map(Reply::Debug),
        ("[A-Z]{1,8}", "[!-~]{1,5}( [!-~]{1,5})?").prop_map(|(key, value)| Reply::Info { key, value }),
        (word(), word(), word(), word()).prop_map(|(name, version, author, country)| Reply::About(About {
            name,
            version,
            author,
            country
        })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn commands_read_back(command in command()) {
        prop_assert_eq!(Command::parse(command.to_string().as_bytes()), Ok(command));
    }

    #[test]
    fn body_lines_read_back(line in body_line()) {
        prop_assert_eq!(BodyLine::parse(line.to_string().as_bytes()), line);
    }

    #[test]
    fn replies_read_back(reply in reply()) {
        prop_assert_eq!(Reply::parse(reply.to_string().as_bytes()), reply);
    }

    #[test]
    fn any_bytes_can_be_parsed(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        if let Ok(command) = Command::parse(&bytes) {
            prop_assert_eq!(Command::parse(command.to_string().as_bytes()), Ok(command));
        }
        let line = Reply::parse(&bytes).to_string();
        prop_assert!(line.bytes().all(|b| (b' '..=b'~').contains(&b)));
        let _ = BodyLine::parse(&bytes);
    }

    #[test]
    fn almost_commands_can_be_parsed(
        word in proptest::sample::select(vec![
            "START", "RECTSTART", "TURN", "TAKEBACK", "INFO", "INFO timeout_turn", "INFO rule", "YXNBEST",
            "YXBALANCETWO", "YXEDITTEXTDATABASE", "YXDRAW",
        ]),
        rest in "[ \t,.\"+0-9a-f-]{0,24}",
    ) {
        if let Ok(command) = Command::parse(format!("{word} {rest}").as_bytes()) {
            prop_assert_eq!(Command::parse(command.to_string().as_bytes()), Ok(command));
        }
    }
}

/// The next event of a session.
#[derive(Clone, Debug)]
enum Step {
    Line(Vec<u8>),
    Finish,
    Fail,
    Hold(bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let line = prop_oneof![
        // Most events need a game, so the commands of a game are frequent.
        2 => Just("START 6".to_owned()),
        4 => (0u8..7, 0u8..7).prop_map(|(x, y)| format!("TURN {x},{y}")),
        1 => Just("BEGIN".to_owned()),
        2 => proptest::sample::select(vec!["BOARD", "YXBOARD", "SWAP2BOARD", "YXBLOCK", "YXNBEST 2", "STOP"])
            .prop_map(str::to_owned),
        4 => (0u8..7, 0u8..7, 1u8..4).prop_map(|(x, y, f)| format!("{x},{y},{f}")),
        4 => Just("DONE".to_owned()),
        2 => command().prop_map(|command| command.to_string()),
        1 => text(),
    ];
    let bytes = prop_oneof![
        9 => line.prop_map(String::into_bytes),
        1 => proptest::collection::vec(any::<u8>(), 0..12),
    ];
    let step = prop_oneof![
        8 => bytes.prop_map(Step::Line),
        1 => Just(Step::Finish),
        1 => Just(Step::Fail),
        1 => any::<bool>().prop_map(Step::Hold),
    ];
    proptest::collection::vec(step, 0..60)
}

/// Whether a line is left out, because it adds lines that look like answers, ends the session, or is answered by
/// messages.
fn miscounted(bytes: &[u8]) -> bool {
    match Command::parse(bytes) {
        Ok(Command::Play(_) | Command::End | Command::Extension(Extension::Swap2Step(_) | Extension::Soosorv(_))) => {
            true
        }
        Ok(_) | Err(_) => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    /// Case 84, without the clock: the number of answers equals the number of searches, whatever is sent.
    #[test]
    fn every_search_is_answered_once(steps in steps()) {
        let mut table = Table::new();
        for step in steps {
            match step {
                Step::Line(bytes) if miscounted(&bytes) => {}
                Step::Line(bytes) => table.send(&bytes),
                Step::Finish => {
                    if let Some(event) = table.outcome() {
                        table.event(event);
                    }
                }
                Step::Fail => {
                    if let Some(number) = table.open.take() {
                        table.event(Event::Failed { number });
                    }
                }
                Step::Hold(hold) => table.hold = hold,
            }
            if let Some(game) = table.session.game() {
                prop_assert_eq!(game.check(), Ok(()));
            }
            let answers = table.written.iter().map(|line| Reply::parse(line.as_bytes()));
            let answers = answers.filter(|reply| matches!(reply, Reply::Points(_) | Reply::Swap)).count();
            prop_assert_eq!(table.searches, answers + usize::from(table.session.is_thinking()));
        }
    }
}
