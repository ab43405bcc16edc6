//! Statistics of matches against published values and against simulation.

use tengen_workbench::stats::fit::{Encounter, bradley_terry};
use tengen_workbench::stats::{
    Model, Pentanomial, Sprt, Trinomial, Verdict, elo_of_score, normal_cdf, score_of_elo, signed, wilson,
};

/// Relative agreement within one percent, the precision of the published values.
fn close(value: f64, published: f64) {
    assert!((value - published).abs() <= 0.01 * published.abs().max(0.1), "{value} is not {published}");
}

fn sprt(elo0: f64, elo1: f64, model: Model) -> Sprt {
    Sprt { elo0, elo1, alpha: 0.05, beta: 0.05, model }
}

/// A small seeded generator, so simulations always use the same random numbers.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn choose(&mut self, law: &[f64]) -> usize {
        let mut left = self.unit();
        for (i, p) in law.iter().enumerate() {
            left -= p;
            if left < 0.0 {
                return i;
            }
        }
        law.len() - 1
    }
}

#[test]
fn normal_distribution_matches_tables() {
    // Abramowitz and Stegun, table 26.1.
    for (x, p) in [(0.0, 0.5), (1.0, 0.841_344_746_1), (1.96, 0.975_002_104_9), (2.9, 0.998_134_186_7)] {
        assert!((normal_cdf(x) - p).abs() < 1e-9, "{x}");
        assert!((normal_cdf(-x) - (1.0 - p)).abs() < 1e-9, "-{x}");
    }
    assert!((normal_cdf(3.5) - 0.999_767_370_9).abs() < 1e-9);
    assert!((normal_cdf(-5.0) / 2.866_515_718_8e-7 - 1.0).abs() < 1e-6);
}

#[test]
fn elo_and_score_are_inverse() {
    close(score_of_elo(100.0), 0.640_065);
    close(elo_of_score(0.75), 190.85);
    for elo in [-400.0, -3.0, 0.0, 12.5, 700.0] {
        assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9);
    }
}

/// Log-likelihood ratios of real chess tests on fishtest, from the test suite of fastchess.
#[test]
fn llr_matches_published_tests() {
    let cases = [
        ([365, 16618, 36029 + 200, 16974, 390], sprt(0.0, 2.0, Model::Normalized), 2.25),
        ([127, 4883, 10311 + 401, 5150, 104], sprt(-1.75, 0.25, Model::Normalized), 3.01),
        ([0, 0, 0, 0, 5550], sprt(0.0, 5.0, Model::Normalized), 111.82),
        ([223, 9863, 20279 + 1000, 10037, 246], sprt(0.5, 2.5, Model::Logistic), -3.07),
        ([871, 26175, 55003 + 980, 26678, 821], sprt(0.0, 2.0, Model::Logistic), -4.98),
    ];
    for (counts, test, llr) in cases {
        close(test.llr(&Pentanomial::new(counts)), llr);
    }
}

/// Elo estimates from the same source: counts, normalized Elo and error, Elo and error, LOS, score.
#[test]
fn elo_matches_published_estimates() {
    let cases = [
        ([34, 54, 31 + 32, 64, 75], [57.94, 28.28, 55.58, 27.65, 1.0, 0.579]),
        ([332, 433, 457 + 41, 333, 334], [-9.17, 10.96, -8.64, 10.33, 0.0505, 0.488]),
        ([7895, 8757, 5485 + 200, 568, 9999], [-19.01, 2.65, -21.04, 2.95, 0.0, 0.470]),
    ];
    for (counts, [normalized, normalized_error, diff, error, los, score]) in cases {
        let elo = Pentanomial::new(counts).elo().expect("pairs");
        close(elo.normalized, normalized);
        close(elo.normalized_error, normalized_error);
        close(elo.diff, diff);
        close(elo.error, error);
        assert!((elo.los - los).abs() < 1e-3, "{} is not {los}", elo.los);
        close(elo.score, score);
    }
    let single = Trinomial { wins: 136, losses: 96, draws: 111 }.elo().expect("games");
    close(single.normalized, 49.77);
    close(single.normalized_error, 36.77);
    close(single.diff, 40.70);
    close(single.error, 30.43);
    assert!((single.los - 0.9960).abs() < 1e-4);
}

#[test]
fn bounds_are_walds() {
    let (lower, upper) = sprt(0.0, 5.0, Model::Logistic).bounds();
    close(lower, -2.944);
    close(upper, 2.944);
    assert!(sprt(5.0, 5.0, Model::Logistic).check().is_err());
    assert!(Sprt { alpha: 0.0, ..sprt(0.0, 5.0, Model::Logistic) }.check().is_err());
}

/// A distribution of pair scores with this mean and biased openings: most pairs are drawn.
fn pair_law(score: f64) -> [f64; 5] {
    let shift = score - 0.5;
    // d(mean) of moving p from 0 to 1 point and from 0.25 to 0.75: p + q/2 with p = q/2.
    [0.06 - shift / 2.0, 0.14 - shift, 0.60, 0.14 + shift, 0.06 + shift / 2.0]
}

/// Under each hypothesis the error rate of the test is close to the requested one: not above it, and not far below.
#[test]
fn sprt_error_rates_hold_in_simulation() {
    let test = sprt(0.0, 40.0, Model::Logistic);
    let mut random = Random(7);
    let mut run = |elo: f64| {
        let law = pair_law(score_of_elo(elo));
        let mean: f64 = law.iter().enumerate().map(|(i, p)| p * i as f64 / 4.0).sum();
        assert!((mean - score_of_elo(elo)).abs() < 1e-12);
        let (mut accepted, mut length, runs) = (0, 0, 1000);
        for _ in 0..runs {
            let mut pairs = Pentanomial::default();
            loop {
                pairs.add(random.choose(&law) as u8);
                length += 1;
                match test.verdict(test.llr(&pairs)) {
                    Verdict::Continue => assert!(pairs.pairs() < 100_000),
                    verdict => {
                        accepted += usize::from(verdict == Verdict::AcceptH1);
                        break;
                    }
                }
            }
        }
        (accepted as f64 / f64::from(runs), f64::from(length) / f64::from(runs))
    };
    let (false_positive, length0) = run(0.0);
    let (true_positive, length1) = run(40.0);
    let (middle, length) = run(20.0);
    assert!((0.02..=0.07).contains(&false_positive), "alpha {false_positive}");
    assert!((0.93..=0.98).contains(&true_positive), "1 - beta {true_positive}");
    assert!((0.42..=0.58).contains(&middle), "power in the middle {middle}");
    assert!(length > length0 && length > length1, "{length0} {length} {length1}");
}

/// The 95 % interval covers the true value in 95 % of simulated matches. The interval from single games is too wide
/// here.
#[test]
fn pentanomial_interval_covers_the_truth() {
    let mut random = Random(11);
    let truth = 25.0;
    let law = pair_law(score_of_elo(truth));
    let (mut covered, mut above, runs) = (0, 0, 2000);
    for _ in 0..runs {
        let mut pairs = Pentanomial::default();
        (0..400).for_each(|_| pairs.add(random.choose(&law) as u8));
        let elo = pairs.elo().expect("pairs");
        covered += i32::from(elo.low <= truth && truth <= elo.high);
        above += i32::from(elo.los > 0.95);
    }
    let share = f64::from(covered) / f64::from(runs);
    assert!((0.935..=0.965).contains(&share), "{share}");
    assert!(above > runs / 2);
}

#[test]
fn extreme_counts_stay_sane() {
    assert!(Pentanomial::default().elo().is_none());
    let all = Pentanomial::new([0, 0, 0, 0, 10]).elo().expect("pairs");
    assert!(all.diff.is_infinite() && all.los == 1.0);
    let even = Pentanomial::new([0, 0, 10, 0, 0]).elo().expect("pairs");
    assert_eq!((even.diff, even.los, even.normalized), (0.0, 0.5, 0.0));
    assert!(
        [all, even].iter().all(|elo| elo.low == f64::NEG_INFINITY && elo.high == f64::INFINITY),
        "nothing is known"
    );
    assert!(even.error.is_infinite() && even.normalized_error.is_infinite());
    let test = sprt(0.0, 10.0, Model::Logistic);
    assert_eq!(test.llr(&Pentanomial::default()), 0.0);
    assert!(test.llr(&Pentanomial::new([0, 0, 0, 0, 1])).is_finite());
    assert!(test.llr(&Pentanomial::new([1, 0, 0, 0, 0])) < 0.0);
}

/// The intervals of Brown, Cai and DasGupta (2001) for a proportion, and for zero hits and only hits.
#[test]
fn proportions_have_intervals() {
    let near = |(low, high): (f64, f64), expected: (f64, f64)| {
        assert!((low - expected.0).abs() < 5e-4 && (high - expected.1).abs() < 5e-4, "{low} {high} {expected:?}");
    };
    near(wilson(5, 50), (0.0435, 0.2136));
    near(wilson(0, 100), (0.0, 0.0370));
    near(wilson(100, 100), (0.9630, 1.0));
    assert_eq!(wilson(0, 0), (0.0, 1.0));
}

#[test]
fn zero_has_no_minus() {
    assert_eq!([-0.04, 0.04, -0.0].map(|v| signed(v, 1)), ["+0.0"; 3]);
    assert_eq!([-0.3, 0.3, -1.0].map(|v| signed(v, 0)), ["+0", "+0", "-1"]);
    assert_eq!([-0.05, 12.34].map(|v| signed(v, 2)), ["-0.05", "+12.34"]);
}

/// Exchanging the players changes the sign of all differences.
#[test]
fn estimates_are_antisymmetric() {
    let pairs = Pentanomial::new([3, 10, 50, 21, 9]);
    let (a, b) = (pairs.elo().expect("pairs"), pairs.reversed().elo().expect("pairs"));
    assert!((a.diff + b.diff).abs() < 1e-9 && (a.los + b.los - 1.0).abs() < 1e-12);
    let test = sprt(-10.0, 10.0, Model::Logistic);
    assert!((test.llr(&pairs) + test.llr(&pairs.reversed())).abs() < 1e-6);
}

/// With two players, the fit must equal the estimate from the score, with the delta method's error.
#[test]
fn bradley_terry_of_two_is_the_logistic_elo() {
    let fit = bradley_terry(2, &[Encounter { first: 0, second: 1, games: 200.0, points: 130.0 }]);
    let difference = fit.ratings[0].elo - fit.ratings[1].elo;
    assert!((difference - elo_of_score(0.65)).abs() < 1e-6, "{difference}");
    assert_eq!(fit.prior_games, 0.0);
    // The variance of log-odds is 1 / (n p q). Relative to the mean of two players, the error is half that of the
    // difference.
    let expected = 1.96 * 400.0 / std::f64::consts::LN_10 / (200.0f64 * 0.65 * 0.35).sqrt() / 2.0;
    close(fit.ratings[0].error, expected);
}

/// From expected points the fit recovers the true ratings; random points scatter within the reported errors.
#[test]
fn bradley_terry_recovers_a_synthetic_tournament() {
    let truth = [220.0, 90.0, 30.0, -40.0, -110.0, -190.0];
    let pairings = || (0..6).flat_map(|i| (i + 1..6).map(move |j| (i, j)));
    let exact: Vec<_> = pairings()
        .map(|(first, second)| {
            let points = 50.0 * score_of_elo(truth[first] - truth[second]);
            Encounter { first, second, games: 50.0, points }
        })
        .collect();
    for (rating, elo) in bradley_terry(6, &exact).ratings.iter().zip(truth) {
        assert!((rating.elo - elo).abs() < 1e-6, "{} is not {elo}", rating.elo);
    }
    let mut random = Random(3);
    let (mut inside, mut total) = (0, 0);
    for _ in 0..200 {
        let drawn: Vec<_> = pairings()
            .map(|(first, second)| {
                let p = score_of_elo(truth[first] - truth[second]);
                let points = (0..100).filter(|_| random.unit() < p).count() as f64;
                Encounter { first, second, games: 100.0, points }
            })
            .collect();
        for (rating, elo) in bradley_terry(6, &drawn).ratings.iter().zip(truth) {
            inside += i32::from((rating.elo - elo).abs() <= rating.error);
            total += 1;
        }
    }
    let share = f64::from(inside) / f64::from(total);
    assert!((0.93..=0.97).contains(&share), "{share}");
}

/// A player without points has no finite maximum: the fit reports that it used virtual games.
#[test]
fn bradley_terry_survives_clean_sweeps() {
    let sweep = [
        Encounter { first: 0, second: 1, games: 20.0, points: 20.0 },
        Encounter { first: 1, second: 2, games: 20.0, points: 12.0 },
    ];
    let fit = bradley_terry(3, &sweep);
    assert_eq!(fit.prior_games, 1.0);
    assert!(fit.ratings.iter().all(|r| r.elo.is_finite() && r.error.is_finite()));
    assert!(fit.ratings[0].elo > fit.ratings[1].elo && fit.ratings[1].elo > fit.ratings[2].elo);
    assert_eq!(bradley_terry(1, &[]).ratings.len(), 1);
    assert!(bradley_terry(0, &[]).ratings.is_empty());
}
