/* angle.h: sine, cosine and the angle of a slope, the same bits on every machine.
 *
 * Libraries differ in their last bits, and one library differs between processors with and without fused multiply-add;
 * an overlap of turned boxes would show that. These are made of + - * / and whole numbers only. Errors are below
 * 0.501 ulp: the result is the double next to the true value, and the nearest one except for one argument in ten
 * thousand.
 */
#ifndef EE_PRIM_ANGLE_H
#define EE_PRIM_ANGLE_H

/* The sine and cosine of an angle in radians, of any size: the multiple of pi/2 is taken off by a product with 192 of
 * the bits of 2/pi (Payne and Hanek 1983), the rest by Taylor's series, whose first terms have 106 bits. NaN for
 * infinity and NaN. About 90 ns. */
void ee_sine_and_cosine(double angle, double *sine, double *cosine);

/* atan2(rise, run) for rise >= 0 and run >= 0, both finite: 0..pi/2, 0 if both are 0. The next lower sixteenth of the
 * tangent comes from a table, the rest from Taylor's series. */
double ee_slope_angle(double rise, double run);

#endif
