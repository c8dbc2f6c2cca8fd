/* test_work.c: counted work: tries, halves, interrupts, and that limits do not depend on how slices fall. */

#include <signal.h>

#include "base/limits.h"
#include "base/work.h"
#include "support/random.h"

/* Charges `step` units at a time, `count` times. */
typedef struct loop {
  uint64_t step, count, finished;
} loop;

static void run_loop(void *user) {
  loop *self = user;
  for (; self->finished < self->count; self->finished++) ee_work(self->step);
}

static void without_a_try_work_returns(void **state) {
  (void)state;
  uint64_t before = ee_work_done();
  loop self = {.step = EE_WORK_SECOND, .count = 1000};
  run_loop(&self);
  assert_int_equal(self.finished, 1000);
  assert_int_equal(ee_work_done() - before, 1000 * EE_WORK_SECOND);
  assert_true(ee_work_left() == EE_WORK_UNLIMITED);
  assert_true(ee_work_half() == EE_WORK_UNLIMITED);
}

static void a_try_ends_at_its_limit_exactly(void **state) {
  (void)state;
  test_random random = test_random_start("work", 1603);
  for (int i = 0; i < 2000; i++) {
    uint64_t step = 1 + test_random_below(&random, 30000), count = test_random_below(&random, 3000),
             limit = test_random_below(&random, 40000000);
    ee_work(test_random_below(&random, 10000000)); /* slices begin anywhere */
    loop self = {.step = step, .count = count};
    ee_work_end end = ee_work_try(limit, run_loop, &self);
    assert_int_equal(end, step * count > limit ? EE_WORK_GIVEN_UP : EE_WORK_DONE);
    assert_int_equal(self.finished, step * count > limit ? limit / step : count);
  }
}

/* A judge whose values each use as much as they can. */
typedef struct judge {
  uint64_t values, given_up, left[10];
} judge;

static void run_values(void *user) {
  judge *self = user;
  for (; self->values < 10; self->values++) {
    self->left[self->values] = ee_work_left();
    loop value = {.step = 1, .count = UINT64_MAX};
    self->given_up += ee_work_try(ee_work_half(), run_loop, &value) == EE_WORK_GIVEN_UP;
  }
}

static void a_value_gets_half_of_what_is_left(void **state) {
  (void)state;
  judge self = {0};
  assert_int_equal(ee_work_try(1 << 20, run_values, &self), EE_WORK_DONE);
  assert_int_equal(self.values, 10);
  assert_int_equal(self.given_up, 10);
  /* The unit that is one too many is charged, too. */
  uint64_t left = 1 << 20;
  for (size_t i = 0; i < 10; i++) {
    assert_int_equal(self.left[i], left);
    left -= left / 2 + 1;
  }
}

static void run_greedy(void *user) {
  loop value = {.step = 1, .count = UINT64_MAX};
  assert_int_equal(ee_work_try(EE_WORK_UNLIMITED, run_loop, &value), EE_WORK_GIVEN_UP);
  *(int *)user = 1;
  ee_work(1);
  *(int *)user = 2;
}

static void nobody_gets_more_than_who_is_around(void **state) {
  (void)state;
  int reached = 0;
  assert_int_equal(ee_work_try(1000, run_greedy, &reached), EE_WORK_GIVEN_UP);
  assert_int_equal(reached, 1);
}

static void run_large(void *user) {
  ee_work(ee_work_product(UINT64_C(1) << 40, UINT64_C(1) << 40));
  *(int *)user = 1;
}

static void products_are_not_too_large(void **state) {
  (void)state;
  assert_true(ee_work_product(UINT64_MAX, UINT64_MAX) == EE_WORK_UNLIMITED);
  assert_true(ee_work_product(UINT64_C(1) << 62, 2) == EE_WORK_UNLIMITED);
  assert_true(ee_work_product(0, UINT64_MAX) == 0);
  assert_true(ee_work_product(3, 5) == 15);
  int reached = 0;
  assert_int_equal(ee_work_try(EE_WORK_SECOND, run_large, &reached), EE_WORK_GIVEN_UP);
  assert_int_equal(reached, 0);
}

/* Interrupts ------------------------------------------------------------------------------------ */

static volatile sig_atomic_t interrupted;

typedef struct wait_loop {
  uint64_t steps;
  int cleaned;
} wait_loop;

static void wait_for_interrupt(void *user) {
  wait_loop *self = user;
  for (;; self->steps++) {
    if (self->steps == 1000) interrupted = 1;
    ee_work(EE_WORK_SECOND / 1000);
  }
}

static void clean_up_within(void *user) {
  wait_loop *self = user;
  ee_work_end end = ee_work_try(ee_work_half(), wait_for_interrupt, self);
  assert_int_equal(end, EE_WORK_INTERRUPTED);
  self->cleaned = 1;
  ee_work_pass_on(end);
  fail_msg("an interrupt ends all tries");
}

static void an_interrupt_ends_all_tries(void **state) {
  (void)state;
  interrupted = 0;
  assert_null(ee_work_watch(&interrupted));
  wait_loop self = {0};
  assert_int_equal(ee_work_try(EE_WORK_UNLIMITED, clean_up_within, &self), EE_WORK_INTERRUPTED);
  assert_int_equal(self.cleaned, 1);
  assert_in_range(self.steps, 1000, 1010);
  assert_true(ee_work_is_interrupted());
  /* Without a try work is only asked. */
  ee_work(EE_WORK_SECOND);
  assert_false(ee_work_check(1));
  assert_false(ee_work_check(0) && ee_work_check(1));
  interrupted = 0;
  assert_true(ee_work_check(EE_WORK_SECOND));
  assert_ptr_equal(ee_work_watch(NULL), &interrupted);
  assert_false(ee_work_is_interrupted());
}

static void check_until_false(void *user) {
  uint64_t *count = user;
  while (ee_work_check(1000)) *count += 1;
  assert_false(ee_work_check(1));
}

static void a_check_does_not_jump(void **state) {
  (void)state;
  uint64_t count = 0;
  assert_int_equal(ee_work_try(50000000, check_until_false, &count), EE_WORK_DONE);
  assert_int_equal(count, 50000);
}

/* Other ways out -------------------------------------------------------------------------------- */

typedef struct other_way {
  jmp_buf place;
  ee_work_end end;
} other_way;

static void go_another_way(void *user, ee_work_end end) {
  other_way *self = user;
  self->end = end;
  longjmp(self->place, 1);
}

static void a_raise_takes_the_place_of_the_jump(void **state) {
  (void)state;
  other_way self = {.end = EE_WORK_DONE};
  ee_work_trap trap;
  ee_work_enter(&trap, 1000000, go_another_way, &self);
  if (setjmp(self.place) == 0) {
    loop value = {.step = 1, .count = UINT64_MAX};
    run_loop(&value);
  }
  ee_work_leave(&trap);
  assert_int_equal(self.end, EE_WORK_GIVEN_UP);
  assert_true(ee_work_left() == EE_WORK_UNLIMITED);
}

static void tries_can_be_forgotten(void **state) {
  (void)state;
  ee_work_trap trap;
  ee_work_enter(&trap, 10, go_another_way, NULL);
  assert_int_equal(ee_work_left(), 10);
  ee_work_forget();
  ee_work(EE_WORK_SECOND);
  assert_true(ee_work_left() == EE_WORK_UNLIMITED);
}

static void run_on(void *user) {
  uint64_t *rounds = user;
  while (ee_work_goes_on(1000)) ++*rounds;
}

/* In a try it is as any other charge; without one it says that the loop should end, and says so again. */
static void a_loop_goes_on_until_it_is_interrupted(void **state) {
  (void)state;
  uint64_t rounds = 0;
  assert_int_equal(ee_work_try(1000000, run_on, &rounds), EE_WORK_GIVEN_UP);
  assert_int_equal(rounds, 1000);
  volatile sig_atomic_t flag = 0;
  const volatile sig_atomic_t *before = ee_work_watch(&flag);
  for (int i = 0; i < 100; i++) assert_true(ee_work_goes_on(EE_WORK_SECOND));
  flag = 1;
  assert_false(ee_work_goes_on(EE_WORK_SECOND));
  assert_false(ee_work_goes_on(1));
  assert_int_equal(ee_work_try(EE_WORK_UNLIMITED, run_on, &rounds), EE_WORK_INTERRUPTED);
  ee_work_watch(before);
  assert_true(ee_work_goes_on(EE_WORK_SECOND));
}

/* A try that does not end: what it runs returns by itself, and knows that it should. */
static void a_loop_goes_on_while_there_are_units(void **state) {
  (void)state;
  uint64_t rounds = 0;
  ee_work_trap trap;
  ee_work_enter(&trap, 1000000, NULL, NULL);
  run_on(&rounds);
  assert_int_equal(rounds, 1000);
  assert_false(ee_work_goes_on(1));
  assert_false(ee_work_check(1));
  ee_work(EE_WORK_SECOND); /* returns */
  ee_work_bound(EE_BOUND_ITEMS, UINT64_MAX - 1, "items");
  ee_work_pass_on(EE_WORK_INTERRUPTED);
  assert_int_equal(ee_work_try(EE_WORK_UNLIMITED, run_on, &rounds), EE_WORK_GIVEN_UP);
  ee_work_leave(&trap);
  assert_true(ee_work_goes_on(1));
  assert_true(ee_work_left() == EE_WORK_UNLIMITED);
}

static void bounds_have_defaults(void **state) {
  (void)state;
  assert_int_equal(ee_limits_get()->timeout, 20);
  ee_limits limits = *ee_limits_get();
  limits.timeout = 3;
  ee_limits_set(&limits);
  assert_int_equal(ee_limits_get()->timeout, 3);
  ee_limits_set(NULL);
  assert_int_equal(ee_limits_get()->timeout, 20);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(without_a_try_work_returns),
             cmocka_unit_test(a_try_ends_at_its_limit_exactly), cmocka_unit_test(a_value_gets_half_of_what_is_left),
             cmocka_unit_test(nobody_gets_more_than_who_is_around), cmocka_unit_test(products_are_not_too_large),
             cmocka_unit_test(an_interrupt_ends_all_tries), cmocka_unit_test(a_check_does_not_jump),
             cmocka_unit_test(a_raise_takes_the_place_of_the_jump), cmocka_unit_test(tries_can_be_forgotten),
             cmocka_unit_test(a_loop_goes_on_until_it_is_interrupted),
             cmocka_unit_test(a_loop_goes_on_while_there_are_units), cmocka_unit_test(bounds_have_defaults));
