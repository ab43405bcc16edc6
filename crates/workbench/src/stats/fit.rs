//! Ratings of many players from their results: the Bradley-Terry model, fitted by maximum likelihood.
//!
//! A draw counts as half a win for each. The likelihood is concave, so Newton's method finds its one maximum;
//! errors come from the inverse of the information matrix. Source: D. R. Hunter, "MM algorithms for
//! generalized Bradley-Terry models", Annals of Statistics 32 (2004), sections 1 and 2 for existence.

/// Results of one pairing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encounter {
    /// Index of the first player.
    pub first: usize,
    /// Index of the second player.
    pub second: usize,
    /// Games between them.
    pub games: f64,
    /// Points of the first player.
    pub points: f64,
}

/// A fitted rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Elo, relative to the mean of all players.
    pub elo: f64,
    /// Half the width of the 95 % interval of `elo`.
    pub error: f64,
}

impl Rating {
    /// The 95 % interval of `elo`.
    pub fn interval(&self) -> (f64, f64) {
        (self.elo - self.error, self.elo + self.error)
    }
}

/// A rating table.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// One rating for each player, in the order of their indices.
    pub ratings: Vec<Rating>,
    /// Virtual drawn games added between each player and the mean player. Without them the maximum is finite
    /// only if no group of players took all points from the rest; one is added when that fails.
    pub prior_games: f64,
}

/// Elo points per unit of log-odds.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Fits ratings for `players` players.
///
/// # Panics
/// If an encounter names a player that does not exist.
pub fn bradley_terry(players: usize, encounters: &[Encounter]) -> Fit {
    let prior = if connected(players, encounters) { 0.0 } else { 1.0 };
    let mut strength = vec![0.0; players];
    let mut information = vec![vec![0.0; players]; players];
    for _ in 0..200 {
        let mut gradient = vec![0.0; players];
        information.iter_mut().for_each(|row| row.fill(0.0));
        for e in encounters {
            let p = 1.0 / (1.0 + (strength[e.second] - strength[e.first] as f64).exp());
            let (surplus, weight) = (e.points - e.games * p, e.games * p * (1.0 - p));
            gradient[e.first] += surplus;
            gradient[e.second] -= surplus;
            information[e.first][e.first] += weight;
            information[e.second][e.second] += weight;
            information[e.first][e.second] -= weight;
            information[e.second][e.first] -= weight;
        }
        for i in 0..players {
            let p = 1.0 / (1.0 + (-strength[i] as f64).exp());
            gradient[i] += prior * (0.5 - p);
            information[i][i] += prior * p * (1.0 - p);
        }
        let step = solve(&pinned(&information), &gradient);
        let largest = step.iter().fold(0.0f64, |m, s| m.max(s.abs()));
        // Far from the maximum a full step may overshoot; two units of log-odds are 350 Elo.
        let scale = if largest > 2.0 { 2.0 / largest } else { 1.0 };
        for (s, d) in strength.iter_mut().zip(&step) {
            *s += scale * d;
        }
        if largest < 1e-10 {
            break;
        }
    }
    let mean = strength.iter().sum::<f64>() / players.max(1) as f64;
    let variances = centred_variances(&information);
    let ratings = strength
        .iter()
        .zip(variances)
        .map(|(s, v)| Rating { elo: (s - mean) * ELO, error: super::Z95 * ELO * v.max(0.0).sqrt() })
        .collect();
    Fit { ratings, prior_games: prior }
}

/// Adds a constant to every entry. A step that moves all strengths equally is a null direction of the model; the
/// constant makes the matrix invertible and does not change the solution in the other directions.
fn pinned(information: &[Vec<f64>]) -> Vec<Vec<f64>> {
    information.iter().map(|row| row.iter().map(|v| v + 1.0 / row.len() as f64).collect()).collect()
}

/// Variance of each strength relative to the mean of all.
fn centred_variances(information: &[Vec<f64>]) -> Vec<f64> {
    let n = information.len();
    let matrix = pinned(information);
    let columns: Vec<Vec<f64>> = (0..n)
        .map(|j| {
            let unit: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i == j))).collect();
            solve(&matrix, &unit)
        })
        .collect();
    let total: f64 = columns.iter().flatten().sum();
    (0..n)
        .map(|i| {
            let row: f64 = columns[i].iter().sum();
            columns[i][i] - 2.0 * row / n as f64 + total / (n * n) as f64
        })
        .collect()
}

/// Solves a positive definite system by Gaussian elimination with pivoting; singular directions yield zero.
fn solve(matrix: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let n = right.len();
    let mut a: Vec<Vec<f64>> =
        matrix.iter().zip(right).map(|(row, b)| row.iter().copied().chain([*b]).collect()).collect();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap_or(k);
        a.swap(k, pivot);
        if a[k][k].abs() < 1e-12 {
            continue;
        }
        let row = a[k].clone();
        for (_, other) in a.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = other[k] / row[k];
            other.iter_mut().zip(&row).skip(k).for_each(|(v, pivot)| *v -= factor * pivot);
        }
    }
    (0..n).map(|i| if a[i][i].abs() < 1e-12 { 0.0 } else { a[i][n] / a[i][i] }).collect()
}

/// Whether every player took points, directly or through others, from every other: the condition for a finite
/// maximum (Ford 1957).
fn connected(players: usize, encounters: &[Encounter]) -> bool {
    let reaches_all = |forward: bool| {
        let mut seen = vec![false; players];
        let mut stack = vec![0];
        while let Some(i) = stack.pop() {
            if i >= players || std::mem::replace(&mut seen[i], true) {
                continue;
            }
            for e in encounters {
                let (first_scored, second_scored) = (e.points > 0.0, e.points < e.games);
                if e.first == i && if forward { first_scored } else { second_scored } {
                    stack.push(e.second);
                }
                if e.second == i && if forward { second_scored } else { first_scored } {
                    stack.push(e.first);
                }
            }
        }
        seen.iter().all(|s| *s)
    };
    reaches_all(true) && reaches_all(false)
}
