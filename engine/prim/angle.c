/* angle.c: sine, cosine and the angle of a slope. */
#include "prim/angle.h"

#include <math.h>
#include <stdint.h>

#include "prim/twofold.h"

static const ee_twofold half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/* The rest after multiples of pi/2 -------------------------------------------------------------- */

/* 2/pi after 64 zeros, which stand for whole multiples that small angles do not have. Tests compare with long sums. */
static const uint64_t two_over_pi[] = {0,
                                       0xa2f9836e4e441529,
                                       0xfc2757d1f534ddc0,
                                       0xdb6295993c439041,
                                       0xfe5163abdebbc561,
                                       0xb7246e3a424dd2e0,
                                       0x06492eea09d1921c,
                                       0xfe1deb1cb129a73e,
                                       0xe88235f52ebb4484,
                                       0xe99c7026b45f7e41,
                                       0x3991d639835339f4,
                                       0x9c845f8bbdf9283b,
                                       0x1ff897ffde05980f,
                                       0xef2f118b5a0a6d1f,
                                       0x6d367ecf27cb09b7,
                                       0x4f463f669e5fea2d,
                                       0x7527bac7ebe5f17b,
                                       0x3d0739f78a5292ea,
                                       0x6bfb5fb11f8d5d08,
                                       0x56033046fc7b6bab};

typedef unsigned __int128 u128;

/* 64 bits of the table from bit `at` on. */
static uint64_t bits_from(unsigned at) {
  unsigned word = at / 64, shift = at % 64;
  uint64_t bits = two_over_pi[word] << shift;
  return shift == 0 ? bits : bits | two_over_pi[word + 1] >> (64 - shift);
}

/* `angle` (finite, above pi/4) less the nearest multiple of pi/2, and that multiple modulo 4. */
static ee_twofold reduce(double angle, unsigned *quadrant) {
  int exponent;
  uint64_t mantissa = (uint64_t)ldexp(frexp(angle, &exponent), 53);
  exponent -= 53; /* angle = mantissa * 2^exponent, exponent -53..971 */
  /* Bits of 2/pi worth 4 and more after the product do not matter. Of the next 192 the product is taken modulo 2^192:
   * two bits of the multiple, then 190 of the fraction. Its error is below 2^-136, and a double is not nearer than
   * 2^-62 to a multiple of pi/2 (Kahan). */
  unsigned at = (unsigned)(64 + exponent - 2);
  u128 high = (u128)mantissa * bits_from(at), middle = (u128)mantissa * bits_from(at + 64),
       low = (u128)mantissa * bits_from(at + 128);
  middle += low >> 64;
  u128 upper = (high << 64) + middle;
  uint64_t lower = (uint64_t)low;
  *quadrant = (unsigned)(upper >> 126);
  upper = upper << 2 | lower >> 62;
  lower <<= 2;
  /* From a half on the next multiple is nearer. */
  int negative = (int)(upper >> 127);
  if (negative) {
    *quadrant = (*quadrant + 1) & 3;
    lower = -lower;
    upper = ~upper + (lower == 0);
  }
  /* One of the first 62 bits is set (see above), but not the first. */
  int zeros = __builtin_clzll((uint64_t)(upper >> 64));
  upper = upper << zeros | lower >> 1 >> (63 - zeros);
  /* The first 53 bits, and the next 64. */
  double first = ldexp((double)(uint64_t)(upper >> 75), -53 - zeros);
  double next = ldexp((double)(uint64_t)(upper >> 11), -117 - zeros);
  ee_twofold rest = ee_twofold_multiply(ee_twofold_from(first, next), half_pi);
  return negative ? (ee_twofold){-rest.high, -rest.low} : rest;
}

/* Series ---------------------------------------------------------------------------------------- */

enum { HEADS = 3 };

/* heads[0] + square * (heads[1] + square * (heads[2] + square * (tail[0] + square * (tail[1] + ...)))). */
static inline ee_twofold sum_series(const ee_twofold heads[HEADS], const double *tail, int count, ee_twofold square) {
  double rest = 0;
  while (count-- > 0) rest = rest * square.high + tail[count];
  ee_twofold sum = ee_twofold_add(heads[2], ee_twofold_product(square.high, rest));
  sum = ee_twofold_add(heads[1], ee_twofold_multiply(square, sum));
  return ee_twofold_add(heads[0], ee_twofold_multiply(square, sum));
}

/* 1 / 3!, 1 / 5!, ... and 1 / 2!, 1 / 4!, ..., with signs. */
static const ee_twofold sine_heads[HEADS] = {
    {1, 0}, {-0x1.5555555555555p-3, -0x1.5555555555555p-57}, {0x1.1111111111111p-7, 0x1.1111111111111p-63}};
static const ee_twofold cosine_heads[HEADS] = {{1, 0}, {-0.5, 0}, {0x1.5555555555555p-5, 0x1.5555555555555p-59}};
static const double sine_tail[] = {
    -1 / 5040.0,          1 / 362880.0,          -1 / 39916800.0,          1 / 6227020800.0,
    -1 / 1307674368000.0, 1 / 355687428096000.0, -1 / 121645100408832000.0};
static const double cosine_tail[] = {-1 / 720.0,         1 / 40320.0,          -1 / 3628800.0,         1 / 479001600.0,
                                     -1 / 87178291200.0, 1 / 20922789888000.0, -1 / 6402373705728000.0};

void ee_sine_and_cosine(double angle, double *sine, double *cosine) {
  double size = fabs(angle);
  if (!isfinite(angle)) {
    *sine = *cosine = NAN;
    return;
  }
  if (size < 0x1p-28) {
    *sine = angle;
    *cosine = 1;
    return;
  }
  unsigned quadrant = 0;
  ee_twofold rest = size <= 0.78539816339744828 ? (ee_twofold){size, 0} : reduce(size, &quadrant);
  ee_twofold square = ee_twofold_multiply(rest, rest);
  /* Within pi/4 the next terms are below 2^-67 of the results. */
  ee_twofold up = ee_twofold_multiply(rest, sum_series(sine_heads, sine_tail, 7, square));
  ee_twofold along = sum_series(cosine_heads, cosine_tail, 7, square);
  double s = (quadrant & 1) == 0 ? up.high : along.high, c = (quadrant & 1) == 0 ? along.high : up.high;
  if (quadrant == 2 || quadrant == 3) s = -s;
  if (quadrant == 1 || quadrant == 2) c = -c;
  *sine = angle < 0 ? -s : s;
  *cosine = c;
}

/* The angle of a slope -------------------------------------------------------------------------- */

/* atan(i / 16). */
static const ee_twofold angle_of_sixteenths[17] = {{0, 0},
                                                   {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
                                                   {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                                   {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
                                                   {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                                   {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
                                                   {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                                   {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
                                                   {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                                   {0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
                                                   {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                                   {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
                                                   {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                                   {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
                                                   {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                                   {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
                                                   {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};

/* 1, 1/3, 1/5, ..., with signs. */
static const ee_twofold slope_heads[HEADS] = {
    {1, 0}, {-0x1.5555555555555p-2, -0x1.5555555555555p-56}, {0x1.999999999999ap-3, -0x1.999999999999ap-57}};
static const double slope_tail[] = {-1 / 7.0, 1 / 9.0, -1 / 11.0, 1 / 13.0, -1 / 15.0, 1 / 17.0};

double ee_slope_angle(double rise, double run) {
  if (isnan(rise) || isnan(run)) return NAN;
  double small = rise < run ? rise : run, large = rise < run ? run : rise;
  if (large == 0) return 0;
  if (small / large < 0x1p-60) return rise < run ? rise / run : half_pi.high;
  int exponent;
  frexp(large, &exponent);
  small = ldexp(small, -exponent);
  large = ldexp(large, -exponent);
  /* tan(a - b) = (tan a - tan b) / (1 + tan a * tan b), with tan b = i / 16. */
  int i = (int)(small / large * 16);
  double step = i / 16.0;
  ee_twofold offset = ee_twofold_product(step, -large), across = ee_twofold_product(step, small);
  ee_twofold tangent =
      ee_twofold_divide(ee_twofold_add((ee_twofold){small, 0}, offset), ee_twofold_add((ee_twofold){large, 0}, across));
  ee_twofold square = ee_twofold_multiply(tangent, tangent);
  /* Tangents are at most 1/16: the next term is below 2^-76 of the result. */
  ee_twofold angle = ee_twofold_multiply(tangent, sum_series(slope_heads, slope_tail, 6, square));
  angle = ee_twofold_add(angle_of_sixteenths[i], angle);
  if (rise > run) angle = ee_twofold_add(half_pi, (ee_twofold){-angle.high, -angle.low});
  return angle.high;
}
