/* generate_orders.h: purchase orders for benchmarks. */
#ifndef EE_BENCH_GENERATE_ORDERS_H
#define EE_BENCH_GENERATE_ORDERS_H

/* Prints `count` records with up to 1,000 items, a line each, to standard output; the same on every machine. */
void print_orders(unsigned count, unsigned items);

#endif
