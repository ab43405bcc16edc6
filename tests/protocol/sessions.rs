//! Dialogues without threads, pipes or a clock: `tests/transcripts/*.txt`, one section for each conformance case (or
//! several similar ones), numbered as in the list of cases.

use crate::transcript;

macro_rules! transcripts {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                transcript::play(include_str!(concat!(
                    env!("CARGO_MANIFEST_DIR"),
                    "/tests/transcripts/",
                    stringify!($name),
                    ".txt"
                )));
            }
        )*

        #[test]
        fn every_transcript_is_played() {
            let played = [$(concat!(stringify!($name), ".txt")),*];
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transcripts");
            for entry in std::fs::read_dir(folder).expect("the transcripts") {
                let name = entry.expect("an entry").file_name();
                assert!(played.iter().any(|p| name == *p), "{} is not played", name.to_string_lossy());
            }
        }
    };
}

transcripts! {
    cases_01_12_start
    cases_13_26_robust
    cases_27_41_info
    cases_42_50_play
    cases_51_64_board
    cases_65_75_takeback_swap2
    cases_76_84_asynchronous
    cases_85_91_yixin
    cases_92_100_rules
    analysis_lines
}
