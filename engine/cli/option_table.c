/* option_table.c: the rows behind the parser, --help, the manual page and the completions. */
#include "cli/option_table.h"

#include <stddef.h>

const ee_option_row ee_option_rows[] = {
    {EE_OPT_FORMAT, "format", 'f', "table|json|jsonl|csv", "Output", "the report on standard output (default table)"},
    {EE_OPT_OUTPUT, "output", 'o', "FILE", "Output", "write the report to FILE, under a temporary name until it is whole"},
    {EE_OPT_RESULTS, "results", '\0', "FILE", "Output", "write one JSON line a case to FILE"},
    {EE_OPT_COLOR, "color", '\0', "auto|always|never", "Output", "colours; auto: on a terminal, unless NO_COLOR is set or TERM is dumb"},
    {EE_OPT_PROGRESS, "progress", '\0', "auto|always|never", "Output", "the progress line on standard error; auto: on a terminal"},
    {EE_OPT_TIMINGS, "timings", '\0', NULL, "Output", "say on standard error where the time went"},
    {EE_OPT_QUIET, "quiet", 'q', NULL, "Output", "no warnings and no progress; errors that end the run are still told"},
    {EE_OPT_VERBOSE, "verbose", 'v', NULL, "Output", "tell every warning, and the call stack of errors in Lua; rule tests: a line a test"},

    {EE_OPT_EXPECTED, "expected", '\0', "FILE", "Evaluation",
     "expected values come from FILE, joined on the id; with annotations of COCO, DATA is detections"},
    {EE_OPT_SET, "set", '\0', "NAME=VALUE", "Evaluation", "the value of ee.param(\"NAME\") in the rule file; may be repeated"},
    {EE_OPT_FAIL_UNDER, "fail-under", '\0', "[JUDGE:[FIELD:]]METRIC=X", "Evaluation",
     "a gate: exit status 1 when the metric is below X; may be repeated"},
    {EE_OPT_ONLY, "only", '\0', "GLOB", "Evaluation", "judge only the cases whose id matches"},
    {EE_OPT_LIMIT, "limit", '\0', "N", "Evaluation", "judge at most N cases; 0: all"},
    {EE_OPT_STRICT, "strict", '\0', NULL, "Evaluation", "stop at the first record or rule in error, or value without an answer"},
    {EE_OPT_OFFLINE, "offline", '\0', NULL, "Evaluation", "no requests to providers: answers come from the cache"},
    {EE_OPT_JOBS, "jobs", 'j', "N", "Evaluation", "workers; 0: one a core (default); the output is the same for every N"},
    {EE_OPT_LUA_BUDGET, "lua-budget", '\0', "N", "Evaluation", "instructions a Lua call may use (default 10000000); 0: no limit"},

    {EE_OPT_HELP, "help", 'h', NULL, "Help", "print this and exit"},
    {EE_OPT_VERSION, "version", 'V', NULL, "Help", "print the version and exit"},
    {EE_OPT_LIST, "list", '\0', NULL, "Help", "list the judges, strategies and primitives"},
    {EE_OPT_HELP_ON, "help-on", '\0', "NAME", "Help", "explain a judge, a strategy or a primitive: definition, options, defaults"},
    {EE_OPT_PRINT_MAN, "print-man", '\0', NULL, "Help", "print the manual page"},
    {EE_OPT_PRINT_COMPLETION, "print-completion", '\0', "bash|zsh|fish", "Help", "print completions for a shell"},
    {EE_OPT_PRINT_META, "print-meta", '\0', NULL, "Help", "print the editor's definitions (LuaCATS) of the rule language"},
    {EE_OPT_HELP, NULL, '\0', NULL, NULL, NULL},
};

const ee_exit_row ee_exit_rows[] = {
    {0, "evaluated; every gate passed"},
    {1, "evaluated; a gate or a rule test failed"},
    {2, "wrong usage"},
    {3, "the rule file does not load or is invalid"},
    {4, "some records could not be read, a rule raised an error, or a provider gave no answer; results are still complete"},
    {5, "could not finish: memory, input or output, watchdog"},
    {130, "interrupted; the summary covers the finished cases"},
    {0, NULL},
};

const ee_usage_row ee_usage_rows[] = {
    {"evalengine [OPTION]... RULES.lua DATA...", "evaluate; DATA is JSONL or a JSON array, plain or .gz; - is standard input"},
    {"evalengine check RULES.lua [DATA]...", "load, validate, print the plan; with DATA, find functions that keep state"},
    {"evalengine test FILE_test.lua...", "run rule tests"},
    {NULL, NULL},
};

const ee_usage_row ee_example_rows[] = {
    {"evalengine rules/invoice.lua samples/invoices.jsonl", "a table of what is right and wrong"},
    {"evalengine rules/invoice.lua data.jsonl --results r.jsonl", "and one line a case to look into"},
    {"evalengine rules/invoice.lua data.jsonl --fail-under mean_score=0.9", "for CI: exit status 1 below 0.9"},
    {"zcat data.jsonl.gz | evalengine -f json rules/invoice.lua -", "from a pipe, the summary as JSON"},
    {"evalengine --help-on numeric", "what a strategy computes"},
    {NULL, NULL},
};
