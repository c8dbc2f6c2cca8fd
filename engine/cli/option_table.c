/* option_table.c: the rows behind the parser, --help, the manual page and the completions. */
#include "cli/option_table.h"

#include <stddef.h>

#define EVALUATE EE_COMMAND_BIT(EE_COMMAND_EVALUATE)
#define CHECK EE_COMMAND_BIT(EE_COMMAND_CHECK)
#define JUDGE EE_COMMAND_BIT(EE_COMMAND_JUDGE)
#define REPORT EE_COMMAND_BIT(EE_COMMAND_REPORT)
#define BENCH EE_COMMAND_BIT(EE_COMMAND_BENCH)
#define COMPARE EE_COMMAND_BIT(EE_COMMAND_COMPARE)
/* What loads rule files. */
#define LOADING (EVALUATE | CHECK | EE_COMMAND_BIT(EE_COMMAND_TEST) | JUDGE | REPORT)

const ee_option_row ee_option_rows[] = {
    {EE_OPT_FORMAT, "format", 'f', "table|json|jsonl|csv|markdown", "Output", EVALUATE | REPORT | COMPARE | BENCH,
     "the report on standard output (default table)"},
    {EE_OPT_OUTPUT, "output", 'o', "FILE", "Output", EVALUATE | REPORT | COMPARE | BENCH,
     "write the report to FILE, under a temporary name until it is whole"},
    {EE_OPT_RESULTS, "results", '\0', "FILE", "Output", EVALUATE, "write one JSON line a case to FILE"},
    {EE_OPT_COLOR, "color", '\0', "auto|always|never", "Output", EE_ANY_COMMAND,
     "colours; auto: on a terminal, unless NO_COLOR is set or TERM is dumb"},
    {EE_OPT_PROGRESS, "progress", '\0', "auto|always|never", "Output", EE_ANY_COMMAND,
     "the progress line on standard error; auto: on a terminal"},
    {EE_OPT_TIMINGS, "timings", '\0', NULL, "Output", EVALUATE, "say on standard error where the time went"},
    {EE_OPT_QUIET, "quiet", 'q', NULL, "Output", EE_ANY_COMMAND,
     "no warnings and no progress; errors that end the run are still told"},
    {EE_OPT_VERBOSE, "verbose", 'v', NULL, "Output", EE_ANY_COMMAND,
     "tell every warning, and the call stack of errors in Lua; rule tests: a line a test"},

    {EE_OPT_EXPECTED, "expected", '\0', "FILE", "Evaluation", EVALUATE | CHECK,
     "expected values come from FILE (JSONL, a YAML data set), joined on the id; with annotations of COCO, DATA is "
     "detections"},
    {EE_OPT_CONFIG, "config", '\0', "FILE", "Evaluation", EVALUATE | CHECK | JUDGE | REPORT,
     "what ee.config gives in the rule file: an object in a JSON or YAML file; of 'judge': where the payload has no "
     "config"},
    {EE_OPT_SET, "set", '\0', "NAME=VALUE", "Evaluation", LOADING,
     "the value of ee.param(\"NAME\") in the rule file; may be repeated"},
    {EE_OPT_FAIL_UNDER, "fail-under", '\0', "[JUDGE:[FIELD:]]METRIC=X", "Evaluation", EVALUATE,
     "a gate: exit status 1 when the metric is below X; may be repeated"},
    {EE_OPT_ONLY, "only", '\0', "GLOB", "Evaluation", EVALUATE | CHECK, "judge only the cases whose id matches"},
    {EE_OPT_LIMIT, "limit", '\0', "N", "Evaluation", EVALUATE, "judge at most N cases; 0: all"},
    {EE_OPT_STRICT, "strict", '\0', NULL, "Evaluation", EVALUATE,
     "stop at the first record or rule in error, or value without an answer"},
    {EE_OPT_OFFLINE, "offline", '\0', NULL, "Evaluation", LOADING | BENCH,
     "no requests to providers: answers come from the cache"},
    {EE_OPT_JOBS, "jobs", 'j', "N", "Evaluation", EVALUATE | REPORT | BENCH,
     "workers; 0: one a core (default); the output is the same for every N"},
    {EE_OPT_LUA_BUDGET, "lua-budget", '\0', "N", "Evaluation", LOADING,
     "instructions a Lua call may use (default 10000000); 0: no limit"},

    {EE_OPT_DATASET, "dataset", '\0', "FILE", "Results", REPORT | BENCH,
     "report: the data set that the results belong to; bench run: records (may be repeated; default: the shipped "
     "ones)"},
    {EE_OPT_RULES, "rules", '\0', "FILE", "Results", REPORT,
     "judge the candidates of the results again, with the expected values of --dataset"},
    {EE_OPT_JUDGE, "judge", '\0', "NAME", "Results", REPORT, "only the attributes of this judge"},
    {EE_OPT_THRESHOLD, "threshold", '\0', "X", "Results", COMPARE,
     "the least difference of scores that counts as a win or a loss (default 0: any)"},
    {EE_OPT_COMMON, "common", '\0', NULL, "Results", COMPARE,
     "compare the cases that both have, though ids or expected values differ"},
    {EE_OPT_FAIL_ON, "fail-on", '\0', "any|mean|significant", "Results", COMPARE,
     "exit status 1 when any case or field got worse, the mean fell, or fell by more than chance"},

    {EE_OPT_MODE, "mode", '\0', "deterministic|variance", "Bench", BENCH,
     "one trial of each record, or several (default deterministic)"},
    {EE_OPT_TRIALS, "trials", '\0', "N", "Bench", BENCH, "trials a record in variance mode, at least 2 (default 3)"},
    {EE_OPT_PROVIDER, "provider", '\0', "recorded|openai", "Bench", BENCH,
     "where answers come from: the records (default), or a model (OPENAI_BASE_URL, OPENAI_MODEL, OPENAI_API_KEY)"},
    {EE_OPT_OUT, "out", '\0', "FILE", "Bench", BENCH, "where the run goes (default run.json)"},
    {EE_OPT_RESUME, "resume", '\0', NULL, "Bench", BENCH, "go on with a run that was cut"},
    {EE_OPT_MIN, "min", '\0', "METRIC=X", "Bench", BENCH,
     "a gate of bench score: exit status 1 below X; may be repeated (default 1 for schemaValidRate and "
     "quoteInvariantRate)"},
    {EE_OPT_BASELINE, "baseline", '\0', "FILE", "Bench", BENCH, "an earlier run that bench score compares with"},

    {EE_OPT_PERSISTENT, "persistent", '\0', NULL, "Judge", JUDGE,
     "a payload a line and a result a line, until the input ends"},

    {EE_OPT_HELP, "help", 'h', NULL, "Help", EE_ANY_COMMAND, "print this and exit"},
    {EE_OPT_VERSION, "version", 'V', NULL, "Help", EE_ANY_COMMAND, "print the version and exit"},
    {EE_OPT_LIST, "list", '\0', NULL, "Help", EE_ANY_COMMAND, "list the judges, strategies and primitives"},
    {EE_OPT_HELP_ON, "help-on", '\0', "NAME", "Help", EE_ANY_COMMAND,
     "explain a judge, a strategy or a primitive: definition, options, defaults"},
    {EE_OPT_PRINT_MAN, "print-man", '\0', NULL, "Help", EE_ANY_COMMAND, "print the manual page"},
    {EE_OPT_PRINT_COMPLETION, "print-completion", '\0', "bash|zsh|fish", "Help", EE_ANY_COMMAND,
     "print completions for a shell"},
    {EE_OPT_PRINT_META, "print-meta", '\0', NULL, "Help", EE_ANY_COMMAND,
     "print the editor's definitions (LuaCATS) of the rule language"},
    {EE_OPT_HELP, NULL, '\0', NULL, NULL, 0, NULL},
};

const ee_exit_row ee_exit_rows[] = {
    {0, "evaluated; every gate passed"},
    {1, "evaluated; a gate, a rule test or a comparison failed"},
    {2, "wrong usage"},
    {3, "the rule file, the data set in its place, the configuration or a record of the bench does not load or is "
        "invalid"},
    {4, "some records could not be read, a rule raised an error, or a provider gave no answer; results are still "
        "complete"},
    {5, "could not finish: memory, input or output, watchdog"},
    {130, "interrupted; the summary covers the finished cases"},
    {0, NULL},
};

const ee_command_row ee_command_rows[] = {
    {EE_COMMAND_EVALUATE, NULL, "RULES.lua DATA...", 2, 0, NULL,
     "evaluate; DATA is JSONL, a JSON array or a YAML data set, plain or .gz; - is standard input"},
    {EE_COMMAND_EVALUATE, NULL, "DATASET.yaml [CANDIDATES]...", 1, 0, NULL,
     "evaluate with the evaluators and expected values that the data set brings; without CANDIDATES it has those too"},
    {EE_COMMAND_CHECK, "check", "RULES.lua [DATA]...", 1, 0, "a rule file",
     "load, validate, print the plan; with DATA, find functions that keep state; a YAML data set with evaluators may "
     "stand for RULES.lua"},
    {EE_COMMAND_TEST, "test", "FILE_test.lua...", 1, 0, "a rule test", "run rule tests"},
    {EE_COMMAND_REPORT, "report", "RESULTS.jsonl...", 1, 0, "results",
     "the table of attributes, from rows of --results"},
    {EE_COMMAND_COMPARE, "compare", "BASE.jsonl NEW.jsonl", 2, 2, "two files of results",
     "what got better, what got worse, and whether it is chance"},
    {EE_COMMAND_BENCH, "bench", "run|score|add [FILE]...", 1, 0, "run, score or add",
     "the extraction bench: run trials, score a run, add the records of a pack"},
    {EE_COMMAND_JUDGE, "judge", "RULES.lua", 1, 1, "a rule file",
     "be a code_judge: one payload on standard input, one result on standard output"},
    {EE_COMMAND_EVALUATE, NULL, NULL, 0, 0, NULL, NULL},
};

const ee_usage_row ee_example_rows[] = {
    {"evalengine rules/invoice.lua samples/invoices.jsonl", "a table of what is right and wrong"},
    {"evalengine rules/invoice.lua data.jsonl --results r.jsonl", "and one line a case to look into"},
    {"evalengine rules/invoice.lua data.jsonl --fail-under mean_score=0.9", "for CI: exit status 1 below 0.9"},
    {"zcat data.jsonl.gz | evalengine -f json rules/invoice.lua -", "from a pipe, the summary as JSON"},
    {"evalengine dataset.yaml results.jsonl", "with the evaluators of a YAML data set"},
    {"evalengine judge rules.lua < payload.json", "be a code_judge of another program"},
    {"evalengine --help-on numeric", "what a strategy computes"},
    {NULL, NULL},
};
