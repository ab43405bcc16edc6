//! The integer products of the layers, and the choice of vector instructions at run time.
//!
//! All kernels give the same results. A product of an input (0 to 127) and a weight (-128 to 127) plus the neighbouring
//! product fits into 16 bits, and a product of two 16-bit numbers plus the neighbouring product into 32 bits (but for
//! four times -32768, which no layer has), so no instruction saturates.

#![allow(unsafe_code)]

use super::layout::{ACTIVATION_MAX, HIDDEN, LANES};
use super::weights::Quad;

/// A set of vector instructions. For safety a value can only be made for instructions that the processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Level);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// Plain code, compiled for the oldest processor of the family.
    Portable,
    /// Every 64-bit ARM has NEON. The code that the compiler itself makes for NEON takes 2.3 times as many
    /// instructions.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// A WebAssembly module either uses vectors of 128 bits or not; it cannot ask.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 with VNNI.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// The vector of a point: the sum of the rows of its four lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Vector(pub [i16; LANES]);

/// The vector of points outside the board.
pub const ZERO: Vector = Vector([0; LANES]);

// With this alignment a vector is one aligned register, or several.
const _: () = assert!(size_of::<Vector>() == align_of::<Vector>());

/// Work that is compiled once for each kernel. `run` must always be inlined; otherwise it is compiled only for the
/// oldest processor.
pub trait Task {
    /// The result.
    type Output;
    /// Does the work.
    fn run<D: Dense>(self) -> Self::Output;
}

impl Kernel {
    /// The kernels that this processor can run, slowest first.
    pub fn available() -> Vec<Kernel> {
        #[allow(unused_mut, reason = "some processors have no other kernel")]
        let mut kernels = vec![Kernel(Level::Portable)];
        #[cfg(target_arch = "aarch64")]
        kernels.push(Kernel(Level::Neon));
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        kernels.push(Kernel(Level::Simd128));
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx2") {
                kernels.push(Kernel(Level::Avx2));
            }
            if has!("avx2") && has!("avx512f") && has!("avx512bw") && has!("avx512vl") && has!("avx512vnni") {
                kernels.push(Kernel(Level::Avx512));
            }
        }
        kernels
    }

    /// The fastest kernel that this processor can run.
    pub fn fastest() -> Kernel {
        Kernel::available().pop().unwrap_or(Kernel(Level::Portable))
    }

    /// The fastest kernel for plain loops over floating-point numbers. Compilers vectorize them for AVX2, but make slow
    /// code of some of them for AVX-512.
    pub fn for_plain_loops() -> Kernel {
        let is_narrow = |kernel: &Kernel| match kernel.0 {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => false,
            _ => true,
        };
        Kernel::available().into_iter().rfind(is_narrow).unwrap_or(Kernel(Level::Portable))
    }

    /// Runs a task with these instructions.
    #[inline(always)]
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self.0 {
            Level::Portable => task.run::<Portable>(),
            #[cfg(target_arch = "aarch64")]
            Level::Neon => task.run::<arm::Neon>(),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Level::Simd128 => task.run::<wasm::Simd128>(),
            // SAFETY: `Kernel::available` makes this kernel only if the processor has AVX2.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { x86::avx2(task) },
            // SAFETY: `Kernel::available` makes this kernel only if the processor has AVX-512 and VNNI.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { x86::avx512(task) },
        }
    }
}

/// The products of the layers, and vectors of points in registers.
pub trait Dense {
    /// A vector in registers.
    type Lanes: Copy;

    /// The activations of a point with this vector.
    fn activations(vector: &Vector) -> Self::Lanes;
    /// The sum of two vectors.
    fn plus(a: Self::Lanes, b: Self::Lanes) -> Self::Lanes;
    /// The sum of all products of lanes and weights.
    fn dot<const N: usize>(vectors: &[Self::Lanes; N], weights: &[Vector; N]) -> i32;

    // The following add the products of inputs and weights to each of 32 sums.

    /// Inputs and weights of 8 bits, four inputs at a time.
    fn add(inputs: &[[u8; 4]], weights: &[Quad], sums: &mut [i32; HIDDEN]);
    /// Inputs and weights of 16 bits, two inputs at a time.
    fn add_words(inputs: &[[i16; 2]], weights: &[WordPair], sums: &mut [i32; HIDDEN]);
}

/// Weights of 16 bits for two adjacent inputs, by output.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct WordPair(pub [[i16; 2]; HIDDEN]);

/// The reference implementation, with which tests compare the other kernels.
pub struct Portable;

impl Dense for Portable {
    type Lanes = Vector;

    #[inline(always)]
    fn activations(vector: &Vector) -> Vector {
        let mut activations = ZERO;
        for (a, v) in activations.0.iter_mut().zip(&vector.0) {
            *a = (*v).clamp(0, ACTIVATION_MAX);
        }
        activations
    }

    #[inline(always)]
    fn plus(mut a: Vector, b: Vector) -> Vector {
        for (a, b) in a.0.iter_mut().zip(&b.0) {
            *a += b;
        }
        a
    }

    #[inline(always)]
    fn dot<const N: usize>(vectors: &[Vector; N], weights: &[Vector; N]) -> i32 {
        let mut sum = 0;
        for (vector, weights) in vectors.iter().zip(weights) {
            for (a, w) in vector.0.iter().zip(&weights.0) {
                sum += i32::from(*a) * i32::from(*w);
            }
        }
        sum
    }

    #[inline(always)]
    fn add(inputs: &[[u8; 4]], weights: &[Quad], sums: &mut [i32; HIDDEN]) {
        for (input, quad) in inputs.iter().zip(weights).filter(|(input, _)| **input != [0; 4]) {
            let [a, b, c, d] = input.map(i16::from);
            for (sum, [p, q, r, s]) in sums.iter_mut().zip(&quad.0) {
                let first = a * i16::from(*p) + b * i16::from(*q);
                let second = c * i16::from(*r) + d * i16::from(*s);
                *sum += i32::from(first) + i32::from(second);
            }
        }
    }

    #[inline(always)]
    fn add_words(inputs: &[[i16; 2]], weights: &[WordPair], sums: &mut [i32; HIDDEN]) {
        for (input, pair) in inputs.iter().zip(weights) {
            let [a, b] = input.map(i32::from);
            for (sum, [p, q]) in sums.iter_mut().zip(&pair.0) {
                // The products cannot overflow; the sums are checked by `LineNet::is_within_limits`.
                *sum = sum.wrapping_add(a * i32::from(*p) + b * i32::from(*q));
            }
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use super::{ACTIVATION_MAX, Dense, HIDDEN, LANES, Quad, Vector, WordPair};
    use std::arch::aarch64::{
        int16x8_t, int16x8x2_t, int32x4_t, vaddq_s16, vaddq_s32, vaddvq_s32, vdupq_n_s16, vdupq_n_s32, vget_low_s8,
        vget_low_s16, vld1q_s8, vld1q_s16, vld1q_s32, vld2q_s16, vmaxq_s16, vminq_s16, vmlal_high_n_s16,
        vmlal_high_s16, vmlal_n_s16, vmlal_s16, vmull_high_s8, vmull_s8, vpadalq_s16, vpaddq_s16, vreinterpretq_s8_s32,
        vst1q_s32,
    };

    pub struct Neon;

    impl Dense for Neon {
        type Lanes = [int16x8_t; LANES / 8];

        #[inline(always)]
        fn activations(vector: &Vector) -> Self::Lanes {
            // SAFETY: NEON is part of 64-bit ARM. The loads lie within the vector.
            unsafe {
                let (least, most) = (vdupq_n_s16(0), vdupq_n_s16(ACTIVATION_MAX));
                let mut lanes = [least; LANES / 8];
                for (i, lanes) in lanes.iter_mut().enumerate() {
                    *lanes = vminq_s16(vmaxq_s16(vld1q_s16(vector.0.as_ptr().add(8 * i)), least), most);
                }
                lanes
            }
        }

        #[inline(always)]
        fn plus(mut a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
            for (a, b) in a.iter_mut().zip(b) {
                // SAFETY: NEON is part of 64-bit ARM.
                *a = unsafe { vaddq_s16(*a, b) };
            }
            a
        }

        #[inline(always)]
        fn dot<const N: usize>(vectors: &[Self::Lanes; N], weights: &[Vector; N]) -> i32 {
            // SAFETY: NEON is part of 64-bit ARM. The loads lie within the weights.
            unsafe {
                let mut sums = [vdupq_n_s32(0); 2];
                for (vector, weights) in vectors.iter().zip(weights) {
                    for (i, lanes) in vector.iter().enumerate() {
                        let w = vld1q_s16(weights.0.as_ptr().add(8 * i));
                        sums[0] = vmlal_s16(sums[0], vget_low_s16(*lanes), vget_low_s16(w));
                        sums[1] = vmlal_high_s16(sums[1], *lanes, w);
                    }
                }
                vaddvq_s32(vaddq_s32(sums[0], sums[1]))
            }
        }

        #[inline(always)]
        fn add(inputs: &[[u8; 4]], weights: &[Quad], sums: &mut [i32; HIDDEN]) {
            const WIDE: usize = HIDDEN / 4;
            // SAFETY: NEON is part of 64-bit ARM. All loads and stores lie within `sums` (32 words, eight registers)
            // or a quad (128 bytes, eight registers).
            unsafe {
                let at = sums.as_mut_ptr();
                let mut acc: [int32x4_t; WIDE] = std::array::from_fn(|i| vld1q_s32(at.add(4 * i)));
                for (input, quad) in inputs.iter().zip(weights) {
                    let word = i32::from_le_bytes(*input);
                    if word == 0 {
                        continue;
                    }
                    // Inputs are at most 127, so they are equal as signed bytes.
                    let x = vreinterpretq_s8_s32(vdupq_n_s32(word));
                    let from: *const i8 = quad.0.as_ptr().cast();
                    for (i, acc) in acc.iter_mut().enumerate() {
                        let w = vld1q_s8(from.add(16 * i));
                        let low = vmull_s8(vget_low_s8(x), vget_low_s8(w));
                        let high = vmull_high_s8(x, w);
                        *acc = vpadalq_s16(*acc, vpaddq_s16(low, high));
                    }
                }
                for (i, acc) in acc.into_iter().enumerate() {
                    vst1q_s32(at.add(4 * i), acc);
                }
            }
        }

        #[inline(always)]
        fn add_words(inputs: &[[i16; 2]], weights: &[WordPair], sums: &mut [i32; HIDDEN]) {
            const WIDE: usize = HIDDEN / 4;
            // SAFETY: NEON is part of 64-bit ARM. All loads and stores lie within `sums` (32 words, eight registers)
            // or a pair (128 bytes, four loads of two registers).
            unsafe {
                let at = sums.as_mut_ptr();
                let mut acc: [int32x4_t; WIDE] = std::array::from_fn(|i| vld1q_s32(at.add(4 * i)));
                for ([a, b], pair) in inputs.iter().zip(weights) {
                    let from: *const i16 = pair.0.as_ptr().cast();
                    for (i, acc) in acc.chunks_exact_mut(2).enumerate() {
                        let int16x8x2_t(even, odd) = vld2q_s16(from.add(16 * i));
                        acc[0] = vmlal_n_s16(vmlal_n_s16(acc[0], vget_low_s16(even), *a), vget_low_s16(odd), *b);
                        acc[1] = vmlal_high_n_s16(vmlal_high_n_s16(acc[1], even, *a), odd, *b);
                    }
                }
                for (i, acc) in acc.into_iter().enumerate() {
                    vst1q_s32(at.add(4 * i), acc);
                }
            }
        }
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm {
    use super::{ACTIVATION_MAX, Dense, HIDDEN, LANES, Quad, Vector, WordPair};
    use std::arch::wasm32::{
        i16x8_add, i16x8_extend_high_i8x16, i16x8_extend_low_i8x16, i16x8_max, i16x8_min, i16x8_splat, i32x4_add,
        i32x4_dot_i16x8, i32x4_extract_lane, i32x4_shuffle, i32x4_splat, i64x2_splat, v128, v128_load, v128_store,
    };

    pub struct Simd128;

    /// Registers that hold the sums.
    const WIDE: usize = HIDDEN / 4;

    impl Dense for Simd128 {
        type Lanes = [v128; LANES / 8];

        #[inline(always)]
        fn activations(vector: &Vector) -> Self::Lanes {
            let (least, most) = (i16x8_splat(0), i16x8_splat(ACTIVATION_MAX));
            let from: *const v128 = vector.0.as_ptr().cast();
            let mut lanes = [least; LANES / 8];
            for (i, lanes) in lanes.iter_mut().enumerate() {
                // SAFETY: the loads lie within the vector.
                *lanes = i16x8_min(i16x8_max(unsafe { v128_load(from.add(i)) }, least), most);
            }
            lanes
        }

        #[inline(always)]
        fn plus(mut a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
            for (a, b) in a.iter_mut().zip(b) {
                *a = i16x8_add(*a, b);
            }
            a
        }

        #[inline(always)]
        fn dot<const N: usize>(vectors: &[Self::Lanes; N], weights: &[Vector; N]) -> i32 {
            let mut sum = i32x4_splat(0);
            for (vector, weights) in vectors.iter().zip(weights) {
                let from: *const v128 = weights.0.as_ptr().cast();
                for (i, lanes) in vector.iter().enumerate() {
                    // SAFETY: the loads lie within the weights.
                    sum = i32x4_add(sum, i32x4_dot_i16x8(*lanes, unsafe { v128_load(from.add(i)) }));
                }
            }
            i32x4_extract_lane::<0>(sum)
                + i32x4_extract_lane::<1>(sum)
                + i32x4_extract_lane::<2>(sum)
                + i32x4_extract_lane::<3>(sum)
        }

        #[inline(always)]
        fn add(inputs: &[[u8; 4]], weights: &[Quad], sums: &mut [i32; HIDDEN]) {
            // SAFETY: all loads and stores lie within `sums` (32 words, eight registers) or a quad (128 bytes, eight
            // registers).
            unsafe {
                // Each register has the sums of two outputs, in two parts each.
                let mut parts = [[i32x4_splat(0); 2]; WIDE];
                for k in 0..inputs.len().min(weights.len()) {
                    if inputs[k] == [0; 4] {
                        continue;
                    }
                    let [a, b, c, d] = inputs[k].map(i64::from);
                    let x = i64x2_splat(a | b << 16 | c << 32 | d << 48);
                    let from: *const v128 = weights[k].0.as_ptr().cast();
                    for (i, [low, high]) in parts.iter_mut().enumerate() {
                        let w = v128_load(from.add(i));
                        *low = i32x4_add(*low, i32x4_dot_i16x8(x, i16x8_extend_low_i8x16(w)));
                        *high = i32x4_add(*high, i32x4_dot_i16x8(x, i16x8_extend_high_i8x16(w)));
                    }
                }
                let at: *mut v128 = sums.as_mut_ptr().cast();
                for (i, [low, high]) in parts.into_iter().enumerate() {
                    let whole =
                        i32x4_add(i32x4_shuffle::<0, 2, 4, 6>(low, high), i32x4_shuffle::<1, 3, 5, 7>(low, high));
                    v128_store(at.add(i), i32x4_add(v128_load(at.add(i)), whole));
                }
            }
        }

        #[inline(always)]
        fn add_words(inputs: &[[i16; 2]], weights: &[WordPair], sums: &mut [i32; HIDDEN]) {
            // SAFETY: all loads and stores lie within `sums` (32 words, eight registers) or a pair (128 bytes, eight
            // registers).
            unsafe {
                let at: *mut v128 = sums.as_mut_ptr().cast();
                let mut acc: [v128; WIDE] = std::array::from_fn(|i| v128_load(at.add(i)));
                for k in 0..inputs.len().min(weights.len()) {
                    let [a, b] = inputs[k].map(|n| i32::from(n as u16));
                    let x = i32x4_splat(a | b << 16);
                    let from: *const v128 = weights[k].0.as_ptr().cast();
                    for (i, acc) in acc.iter_mut().enumerate() {
                        *acc = i32x4_add(*acc, i32x4_dot_i16x8(x, v128_load(from.add(i))));
                    }
                }
                for (i, acc) in acc.into_iter().enumerate() {
                    v128_store(at.add(i), acc);
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{ACTIVATION_MAX, Dense, HIDDEN, Quad, Task, Vector, WordPair};
    use std::arch::x86_64::{
        __m256i, __m512i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_shuffle_epi32, _mm256_add_epi16, _mm256_add_epi32,
        _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_load_si256, _mm256_loadu_si256, _mm256_madd_epi16,
        _mm256_maddubs_epi16, _mm256_max_epi16, _mm256_min_epi16, _mm256_set1_epi16, _mm256_set1_epi32,
        _mm256_setzero_si256, _mm256_storeu_si256, _mm512_add_epi16, _mm512_add_epi32, _mm512_dpbusd_epi32,
        _mm512_dpwssd_epi32, _mm512_load_si512, _mm512_loadu_si512, _mm512_max_epi16, _mm512_min_epi16,
        _mm512_reduce_add_epi32, _mm512_set1_epi16, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_storeu_si512,
    };

    #[target_feature(enable = "avx2")]
    pub fn avx2<T: Task>(task: T) -> T::Output {
        task.run::<Avx2>()
    }

    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512vnni")]
    pub fn avx512<T: Task>(task: T) -> T::Output {
        task.run::<Avx512>()
    }

    /// Private, so that only [`avx2`] uses it.
    struct Avx2;

    impl Dense for Avx2 {
        type Lanes = [__m256i; 2];

        #[inline(always)]
        fn activations(vector: &Vector) -> [__m256i; 2] {
            // SAFETY: only `avx2` uses this, which is compiled for AVX2 and called where it was found. A vector is two
            // registers, aligned to 64 bytes.
            unsafe {
                let from: *const __m256i = vector.0.as_ptr().cast();
                let (least, most) = (_mm256_setzero_si256(), _mm256_set1_epi16(ACTIVATION_MAX));
                let limited = |v| _mm256_min_epi16(_mm256_max_epi16(v, least), most);
                [limited(_mm256_load_si256(from)), limited(_mm256_load_si256(from.add(1)))]
            }
        }

        #[inline(always)]
        fn plus(a: [__m256i; 2], b: [__m256i; 2]) -> [__m256i; 2] {
            // SAFETY: only `avx2` uses this, which is compiled for AVX2 and called where it was found.
            unsafe { [_mm256_add_epi16(a[0], b[0]), _mm256_add_epi16(a[1], b[1])] }
        }

        #[inline(always)]
        fn dot<const N: usize>(vectors: &[[__m256i; 2]; N], weights: &[Vector; N]) -> i32 {
            // SAFETY: only `avx2` uses this, which is compiled for AVX2 and called where it was found. A vector is two
            // registers, aligned to 64 bytes.
            unsafe {
                let mut sums = [_mm256_setzero_si256(); 2];
                for (vector, weights) in vectors.iter().zip(weights) {
                    let from: *const __m256i = weights.0.as_ptr().cast();
                    for (i, sum) in sums.iter_mut().enumerate() {
                        *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(vector[i], _mm256_load_si256(from.add(i))));
                    }
                }
                let sum = _mm256_add_epi32(sums[0], sums[1]);
                let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
                let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b_11_10_11_10>(sum));
                _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32::<0b_01_01_01_01>(sum)))
            }
        }

        #[inline(always)]
        fn add(inputs: &[[u8; 4]], weights: &[Quad], sums: &mut [i32; HIDDEN]) {
            const WIDE: usize = HIDDEN / 8;
            // SAFETY: only `avx2` uses this, which is compiled for AVX2 and called where it was found. All loads and
            // stores lie within `sums` (32 words, four registers) or a quad (128 bytes, four registers, aligned to 64
            // bytes).
            unsafe {
                let at: *mut __m256i = sums.as_mut_ptr().cast();
                let mut acc: [__m256i; WIDE] = std::array::from_fn(|i| _mm256_loadu_si256(at.add(i)));
                let ones = _mm256_set1_epi16(1);
                for (input, quad) in inputs.iter().zip(weights) {
                    let word = i32::from_le_bytes(*input);
                    if word == 0 {
                        continue;
                    }
                    let x = _mm256_set1_epi32(word);
                    let from: *const __m256i = quad.0.as_ptr().cast();
                    for (i, acc) in acc.iter_mut().enumerate() {
                        let pairs = _mm256_maddubs_epi16(x, _mm256_load_si256(from.add(i)));
                        *acc = _mm256_add_epi32(*acc, _mm256_madd_epi16(pairs, ones));
                    }
                }
                for (i, acc) in acc.into_iter().enumerate() {
                    _mm256_storeu_si256(at.add(i), acc);
                }
            }
        }

        #[inline(always)]
        fn add_words(inputs: &[[i16; 2]], weights: &[WordPair], sums: &mut [i32; HIDDEN]) {
            const WIDE: usize = HIDDEN / 8;
            // SAFETY: only `avx2` uses this, which is compiled for AVX2 and called where it was found. All loads and
            // stores lie within `sums` (32 words, four registers) or a pair (128 bytes, four registers, aligned to 64
            // bytes).
            unsafe {
                let at: *mut __m256i = sums.as_mut_ptr().cast();
                let mut acc: [__m256i; WIDE] = std::array::from_fn(|i| _mm256_loadu_si256(at.add(i)));
                for k in 0..inputs.len().min(weights.len()) {
                    let x = _mm256_set1_epi32(word(inputs[k]));
                    let from: *const __m256i = weights[k].0.as_ptr().cast();
                    for (i, acc) in acc.iter_mut().enumerate() {
                        *acc = _mm256_add_epi32(*acc, _mm256_madd_epi16(x, _mm256_load_si256(from.add(i))));
                    }
                }
                for (i, acc) in acc.into_iter().enumerate() {
                    _mm256_storeu_si256(at.add(i), acc);
                }
            }
        }
    }

    /// Two inputs as one number, the first in the low half.
    fn word([a, b]: [i16; 2]) -> i32 {
        i32::from(b) << 16 | i32::from(a as u16)
    }

    /// Private, so that only [`avx512`] uses it.
    struct Avx512;

    impl Dense for Avx512 {
        type Lanes = __m512i;

        #[inline(always)]
        fn activations(vector: &Vector) -> __m512i {
            // SAFETY: only `avx512` uses this, which is compiled for AVX-512 and called where it was found. A vector is
            // one register, aligned to 64 bytes.
            unsafe {
                let v = _mm512_max_epi16(_mm512_load_si512(vector.0.as_ptr().cast()), _mm512_setzero_si512());
                _mm512_min_epi16(v, _mm512_set1_epi16(ACTIVATION_MAX))
            }
        }

        #[inline(always)]
        fn plus(a: __m512i, b: __m512i) -> __m512i {
            // SAFETY: only `avx512` uses this, which is compiled for AVX-512 and called where it was found.
            unsafe { _mm512_add_epi16(a, b) }
        }

        #[inline(always)]
        fn dot<const N: usize>(vectors: &[__m512i; N], weights: &[Vector; N]) -> i32 {
            // SAFETY: only `avx512` uses this, which is compiled for AVX-512 with VNNI and called where they were
            // found. A vector is one register, aligned to 64 bytes.
            unsafe {
                // Two sums, so that an instruction does not wait for the previous one.
                let mut sums = [_mm512_setzero_si512(); 2];
                for (i, (vector, weights)) in vectors.iter().zip(weights).enumerate() {
                    let w = _mm512_load_si512(weights.0.as_ptr().cast());
                    sums[i % 2] = _mm512_dpwssd_epi32(sums[i % 2], *vector, w);
                }
                _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1]))
            }
        }

        #[inline(always)]
        fn add(inputs: &[[u8; 4]], weights: &[Quad], sums: &mut [i32; HIDDEN]) {
            // SAFETY: only `avx512` uses this, which is compiled for AVX-512 with VNNI and called where they were
            // found. All loads and stores lie within `sums` (32 words, two registers) or a quad (128 bytes, two
            // registers, aligned to 64 bytes).
            unsafe {
                let at: *mut __m512i = sums.as_mut_ptr().cast();
                // Two sets of sums, so that an instruction does not wait for the previous one.
                let mut acc = [_mm512_loadu_si512(at), _mm512_loadu_si512(at.add(1))];
                let mut odd = [_mm512_set1_epi32(0); 2];
                for (inputs, quads) in inputs.chunks(2).zip(weights.chunks(2)) {
                    for ((input, quad), acc) in inputs.iter().zip(quads).zip([&mut acc, &mut odd]) {
                        let x = _mm512_set1_epi32(i32::from_le_bytes(*input));
                        let from: *const __m512i = quad.0.as_ptr().cast();
                        acc[0] = _mm512_dpbusd_epi32(acc[0], x, _mm512_load_si512(from));
                        acc[1] = _mm512_dpbusd_epi32(acc[1], x, _mm512_load_si512(from.add(1)));
                    }
                }
                _mm512_storeu_si512(at, _mm512_add_epi32(acc[0], odd[0]));
                _mm512_storeu_si512(at.add(1), _mm512_add_epi32(acc[1], odd[1]));
            }
        }

        #[inline(always)]
        fn add_words(inputs: &[[i16; 2]], weights: &[WordPair], sums: &mut [i32; HIDDEN]) {
            // SAFETY: only `avx512` uses this, which is compiled for AVX-512 with VNNI and called where they were
            // found. All loads and stores lie within `sums` (32 words, two registers) or a pair (128 bytes, two
            // registers, aligned to 64 bytes).
            unsafe {
                let at: *mut __m512i = sums.as_mut_ptr().cast();
                let mut acc = [_mm512_loadu_si512(at), _mm512_loadu_si512(at.add(1))];
                for k in 0..inputs.len().min(weights.len()) {
                    let x = _mm512_set1_epi32(word(inputs[k]));
                    let from: *const __m512i = weights[k].0.as_ptr().cast();
                    acc[0] = _mm512_dpwssd_epi32(acc[0], x, _mm512_load_si512(from));
                    acc[1] = _mm512_dpwssd_epi32(acc[1], x, _mm512_load_si512(from.add(1)));
                }
                _mm512_storeu_si512(at, acc[0]);
                _mm512_storeu_si512(at.add(1), acc[1]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Product<'a>(&'a [[u8; 4]; 80], &'a [Quad], [i32; HIDDEN]);

    impl Task for Product<'_> {
        type Output = [i32; HIDDEN];
        #[inline(always)]
        fn run<D: Dense>(mut self) -> [i32; HIDDEN] {
            D::add(self.0, self.1, &mut self.2);
            self.2
        }
    }

    struct WordProduct<'a>(&'a [[i16; 2]; 32], &'a [WordPair], [i32; HIDDEN]);

    impl Task for WordProduct<'_> {
        type Output = [i32; HIDDEN];
        #[inline(always)]
        fn run<D: Dense>(mut self) -> [i32; HIDDEN] {
            D::add_words(self.0, self.1, &mut self.2);
            self.2
        }
    }

    /// Random numbers, the same in each call.
    fn random() -> impl FnMut() -> u32 {
        let mut state = 1_u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        }
    }

    /// The scalar product of weights and the sums of activations of neighbouring vectors.
    struct Sums<'a>(&'a [Vector; 5], &'a [Vector; 3]);

    impl Task for Sums<'_> {
        type Output = i32;
        #[inline(always)]
        fn run<D: Dense>(self) -> i32 {
            let Sums([a, b, c, d, e], weights) = self;
            let sum = |x: &Vector, y: &Vector| D::plus(D::activations(x), D::activations(y));
            D::dot(&[sum(a, b), sum(b, c), D::plus(sum(c, d), sum(d, e))], weights)
        }
    }

    #[test]
    fn all_kernels_agree_on_vectors() {
        let mut next = random();
        for round in 0..50 {
            // The largest weights first, and vectors beyond both limits of activations.
            let mut vector =
                |most: i16| Vector(std::array::from_fn(|_| (next() % (2 * most as u32 + 1)) as i16 - most));
            let vectors: [Vector; 5] = std::array::from_fn(|_| vector(508));
            let weights: [Vector; 3] = match round {
                0 => [Vector([9000; LANES]); 3],
                1 => [Vector([-9000; LANES]); 3],
                _ => std::array::from_fn(|_| vector(9000)),
            };
            let mut expected = 0;
            for lane in 0..LANES {
                let [a, b, c, d, e] = vectors.map(|v| i32::from(v.0[lane].clamp(0, 255)));
                let sums = [a + b, b + c, c + d + d + e];
                expected += sums.iter().zip(&weights).map(|(s, w)| s * i32::from(w.0[lane])).sum::<i32>();
            }
            for kernel in Kernel::available() {
                assert_eq!(kernel.run(Sums(&vectors, &weights)), expected, "{kernel:?}, round {round}");
            }
        }
    }

    #[test]
    fn all_kernels_agree_on_words() {
        let mut next = random();
        for round in 0..50 {
            // The largest magnitudes first; 64 products of them stay within 32 bits.
            let mut number = |most: i16| match round {
                0 => most,
                1 => -most,
                _ => (next() % (2 * most as u32 + 1)) as i16 - most,
            };
            let inputs: [[i16; 2]; 32] = std::array::from_fn(|_| std::array::from_fn(|_| number(4095)));
            let weights: Vec<WordPair> =
                (0..32).map(|_| WordPair(std::array::from_fn(|_| std::array::from_fn(|_| number(4095))))).collect();
            let mut expected = [7; HIDDEN];
            for (input, pair) in inputs.iter().zip(&weights) {
                for (sum, weights) in expected.iter_mut().zip(&pair.0) {
                    *sum += input.iter().zip(weights).map(|(x, w)| i32::from(*x) * i32::from(*w)).sum::<i32>();
                }
            }
            for kernel in Kernel::available() {
                let sums = kernel.run(WordProduct(&inputs, &weights, [7; HIDDEN]));
                assert_eq!(sums, expected, "{kernel:?}, round {round}");
            }
        }
    }

    #[test]
    fn all_kernels_agree_to_the_last_unit() {
        let mut next = random();
        for round in 0..50 {
            // The largest magnitudes first, then random values with some zeros.
            let mut input = || match round {
                0 | 1 => 127,
                _ if next().is_multiple_of(4) => 0,
                _ => (next() % 128) as u8,
            };
            let inputs: [[u8; 4]; 80] = std::array::from_fn(|_| std::array::from_fn(|_| input()));
            let mut weight = || match round {
                0 => 127,
                1 => -128,
                _ => (next() % 256) as i8,
            };
            let weights: Vec<Quad> =
                (0..80).map(|_| Quad(std::array::from_fn(|_| std::array::from_fn(|_| weight())))).collect();
            let mut expected = [7; HIDDEN];
            for (input, quad) in inputs.iter().zip(&weights) {
                for (sum, weights) in expected.iter_mut().zip(&quad.0) {
                    *sum += input.iter().zip(weights).map(|(x, w)| i32::from(*x) * i32::from(*w)).sum::<i32>();
                }
            }
            for kernel in Kernel::available() {
                let sums = kernel.run(Product(&inputs, &weights, [7; HIDDEN]));
                assert_eq!(sums, expected, "{kernel:?}, round {round}");
            }
        }
    }
}
