/* options.c: the tables of commands and options, the parser that walks them, and the file of --config. */
#include "cli/options.h"

#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/foreign_inputs.h"
#include "cli/load.h"
#include "cli/usage.h"
#include "data/json/json_reader.h"
#include "data/yaml/yaml_reader.h"
#include "judge/rule_text/rule_document.h"
#include "lua/shipped_rules.h"
#include "prim/number.h"
#include "prim/ratio_interval.h"

/* Tables --------------------------------------------------------------------------------------- */

#define EVALUATE EE_IN_EVALUATE
#define CHECK EE_IN_CHECK
#define TEST EE_IN_TEST
#define JUDGE EE_IN_JUDGE
#define REPORT EE_IN_REPORT
#define REPORT_RULES EE_IN_REPORT_RULES
#define COMPARE EE_IN_COMPARE
#define AUDIT EE_IN_AUDIT
#define AGREE EE_IN_AGREE
#define EXPLAIN EE_IN_EXPLAIN
#define TREND EE_IN_TREND
#define PLAN EE_IN_PLAN
#define PART EE_IN_PART
#define MERGE EE_IN_MERGE
#define BENCH_RUN EE_IN_BENCH_RUN
#define BENCH_SCORE EE_IN_BENCH_SCORE
#define BENCH_REPORT (BENCH_RUN | BENCH_SCORE)
#define BENCH (BENCH_REPORT | EE_IN_BENCH_ADD)
/* Commands that load rule files. */
#define LOADING (EVALUATE | CHECK | TEST | JUDGE | REPORT_RULES | AUDIT | AGREE | EXPLAIN)

/* Commands that may run in a jail: those, without `watch`, which runs the program again and again. */
#define JAILED (PART | CHECK | TEST | JUDGE | REPORT_RULES | AUDIT | AGREE | EXPLAIN | MERGE)

/* The offset of a member of that type: of another type it does not compile. */
#define AT(type, member) (offsetof(ee_options, member) + 0 * sizeof((type *)0 == &((ee_options *)0)->member))
/* Kind, offset, min, max and print of a row. */
#define FLAG(member) EE_KIND_FLAG, AT(bool, member), 0, 0, NULL
#define TEXT(member) EE_KIND_TEXT, AT(const char *, member), 0, 0, NULL
#define TEXTS(member) EE_KIND_TEXTS, AT(ee_texts, member), 0, 0, NULL
#define WORDS(member) EE_KIND_WORDS, AT(ee_texts, member), 0, 0, NULL
#define PARAMETERS(member) EE_KIND_PARAMETERS, AT(ee_parameters, member), 0, 0, NULL
#define PATHS(member) EE_KIND_PATHS, AT(ee_paths, member), 0, 0, NULL
#define WHERE(member) EE_KIND_WHERE, AT(ee_wheres, member), 0, 0, NULL
#define CHOICE(member) CHOICE_FROM(0, member)
#define CHOICE_FROM(first, member) EE_KIND_CHOICE, AT(int, member), first, 0, NULL
#define COUNT(member, max) EE_KIND_COUNT, AT(int64_t, member), 0, max, NULL
#define LIMIT(member, bound) EE_KIND_LIMIT, AT(uint64_t, limits.member), bound, 0, NULL
#define SHARES(member) EE_KIND_SHARES, AT(ee_shares, member), 0, 1, NULL
#define SHARE(member) EE_KIND_SHARE, AT(double, member), 0, 1, NULL
#define AMOUNT(member) EE_KIND_AMOUNT, AT(double, member), 0, 0, NULL
#define NUMBER(member) EE_KIND_PART, AT(ee_part_number, member), 0, 0, NULL
#define RANGE(member) EE_KIND_RANGE, AT(ee_byte_range, member), 0, 0, NULL
#define FORMAT(member) EE_KIND_FORMAT, AT(const ee_report_format *, member), 0, 0, NULL
#define REQUEST(print) EE_KIND_REQUEST, 0, 0, 0, print

const ee_option_row ee_option_rows[] = {
    {"format", 'f', FORMAT(format), NULL, "Output",
     EVALUATE | MERGE | TEST | REPORT | COMPARE | BENCH_REPORT | AUDIT | AGREE | EXPLAIN | TREND | PLAN,
     "the format of the report, or an ee.report of the rules (default by the suffix of --output: .txt, .json, .jsonl, "
     ".csv, .md, .xml, .html; else "
     "table)"},
    {"section", '\0', TEXTS(sections), "NAME", "Output",
     EVALUATE | MERGE | REPORT | COMPARE | BENCH_REPORT | AUDIT | AGREE | EXPLAIN | TREND | PLAN,
     "only this part of a table or Markdown report, such as summary, attributes, gates or the name of a judge; may be "
     "repeated"},
    {"columns", '\0', WORDS(columns), "A,B,C", "Output", EVALUATE | MERGE | REPORT,
     "only these columns of the tables of attributes, such as TP,FP,FN,F1"},
    {"kinds", '\0', FLAG(kinds), NULL, "Output", EVALUATE | MERGE | REPORT,
     "for each attribute the kinds of its errors, such as one digit or truncated (--help-on kinds), with an example"},
    {"reasons", '\0', FLAG(reasons), NULL, "Output", EVALUATE | MERGE | REPORT,
     "for each attribute the reasons of its misses, how often each, and three examples"},
    {"worst", '\0', COUNT(worst, 100000), "N", "Output", EVALUATE | MERGE | REPORT,
     "the N cases with the lowest scores, with the values that are wrong"},
    {"sort", '\0', CHOICE(sort), EE_ATTRIBUTE_ORDERS, "Output", EVALUATE | MERGE | REPORT,
     "the order of attributes in tables (default f1: the lowest first)"},
    {"output", 'o', TEXT(output), "FILE", "Output",
     EVALUATE | MERGE | EE_IN_INIT | TEST | REPORT | COMPARE | BENCH_REPORT | AUDIT | AGREE | EXPLAIN | TREND | PLAN,
     "write the report to FILE, which appears when it is complete"},
    {"results", '\0', TEXT(results), "FILE", "Output", EVALUATE,
     "write one line of JSON a case to FILE.part, which becomes FILE when the run is complete"},
    {"resume", '\0', FLAG(resume), NULL, "Output", EVALUATE | BENCH_RUN,
     "go on with a run that was interrupted: its rows are in FILE.part of --results FILE; bench run: its trials in "
     "FILE.part of --out FILE"},
    {"detail", '\0', CHOICE_FROM(1, detail), "misses|full", "Output", EVALUATE,
     "what rows hold for each case: misses (default): all mismatches; full (default of HTML): also the expected "
     "document, the rest of the record, and how every value was judged"},
    {"to-lua", '\0', FLAG(to_lua), NULL, "Output", CHECK,
     "print the rules as a rule file in Lua instead of the plan; comments say what it still needs a function for"},
    {"to-yaml", '\0', FLAG(to_yaml), NULL, "Output", CHECK,
     "print the rules as YAML instead of the plan; what needs a function is refused"},
    {"save-rules", '\0', TEXT(save_rules), "FILE", "Output", EVALUATE,
     "without a rule file: save the rules that were used to FILE (.lua, .yaml or .json), which must not exist, or with "
     "--resume hold the same rules"},
    {"csv-safe", '\0', CHOICE(csv_safe), "yes|no", "Output",
     EVALUATE | MERGE | REPORT | COMPARE | AUDIT | AGREE | TREND,
     "whether an apostrophe goes before cells of CSV that spreadsheets take for formulas: those that begin with = + - "
     "@ "
     "and are not numbers (default yes)"},
    {"annotate", '\0', CHOICE(annotate), "never|auto|github", "Output", EVALUATE | MERGE | TEST | COMPARE,
     "print annotations for GitHub Actions on standard error for whatever failed; auto: if GITHUB_ACTIONS is true"},
    {"color", '\0', CHOICE(color), "auto|always|never", "Output", EE_IN_ANY,
     "colours; auto: on a terminal, unless NO_COLOR is set or TERM is dumb"},
    {"progress", '\0', CHOICE(progress), "auto|always|never", "Output", EE_IN_ANY,
     "the progress line on standard error; auto: on a terminal"},
    {"timings", '\0', FLAG(timings), NULL, "Output", EVALUATE, "print on standard error where the time went"},
    {"quiet", 'q', FLAG(quiet), NULL, "Output", EE_IN_ANY,
     "no warnings and no progress; errors that end the run are still printed"},
    {"verbose", 'v', FLAG(verbose), NULL, "Output", EE_IN_ANY,
     "print all warnings, and the call stack of errors in Lua; rule tests: one line a test"},

    {"expected", '\0', TEXT(expected), "FILE", "Evaluation", EVALUATE | MERGE | EE_IN_INIT | CHECK | EXPLAIN,
     "expected values from FILE or a directory, joined on the id; with COCO annotations, DATA is detections"},
    {"id", '\0', PATHS(ids), "NAME[,NAME]", "Evaluation",
     EVALUATE | MERGE | EE_IN_INIT | CHECK | REPORT | AUDIT | AGREE | EXPLAIN,
     "member or path of a record's id; of several, the first with a value counts"},
    {"expected-id", '\0', PATHS(expected_ids), "NAME[,NAME]", "Evaluation",
     EVALUATE | MERGE | EE_IN_INIT | CHECK | REPORT | AUDIT | AGREE | EXPLAIN,
     "the same for the file of expected values, if it has another name there"},
    {"candidate", '\0', PATHS(candidates), "PATH[,PATH]", "Evaluation",
     EVALUATE | MERGE | EE_IN_INIT | CHECK | REPORT_RULES | AUDIT | AGREE | EXPLAIN,
     "member or path of a record's candidate; $ is the whole record"},
    {"candidates", '\0', PATHS(candidate_lists), "PATH[,PATH]", "Evaluation",
     EVALUATE | MERGE | EE_IN_INIT | CHECK | AUDIT | EXPLAIN,
     "several candidates a case: member or path of the array of them, its trials"},
    {"trial", '\0', PATHS(trial_paths), "PATH", "Evaluation", EVALUATE | MERGE | EE_IN_INIT | CHECK | AUDIT | EXPLAIN,
     "several records of one id, its trials: member or path of what tells them apart, such as run or seed; @file: each "
     "data file is a trial"},
    {"from", '\0', CHOICE_FROM(1, from), EE_FOREIGN_NAMES, "Evaluation",
     EVALUATE | MERGE | EE_IN_INIT | CHECK | AUDIT | AGREE | EXPLAIN,
     "the files are those of another tool: its results, logs, annotations or tagged sentences"},
    {"expected-path", '\0', PATHS(expected_paths), "PATH[,PATH]", "Evaluation",
     EVALUATE | MERGE | EE_IN_INIT | CHECK | REPORT | AUDIT | AGREE | EXPLAIN,
     "member or path of a record's expected value; $ is the whole record"},
    {"records", '\0', PATHS(records), "PATH[,PATH]", "Evaluation",
     EVALUATE | MERGE | EE_IN_INIT | CHECK | AUDIT | AGREE | EXPLAIN,
     "in a file that is one JSON object: path of its records, an array or an object keyed by id; $: the file is one "
     "record"},
    {"config", '\0', TEXT(config), "FILE", "Evaluation",
     EVALUATE | MERGE | CHECK | JUDGE | REPORT_RULES | AUDIT | AGREE | EXPLAIN,
     "the value of ee.config in the rule file: an object in a JSON or YAML file; 'judge': for payloads without a "
     "config"},
    {"set", '\0', PARAMETERS(parameters), "NAME=VALUE", "Evaluation", LOADING | MERGE,
     "the value of ee.param(\"NAME\") in the rule file; may be repeated"},
    {"fail-under", '\0', TEXTS(fail_under), "[JUDGE:[FIELD:]]METRIC[SLICE]=X", "Evaluation", EVALUATE | MERGE,
     "a gate: exit status 1 when the metric is below X; METRIC[PATH=VALUE]: in the cases with this value, "
     "METRIC[PATH]: for each value; may be repeated"},
    {"confidence", '\0', SHARE(confidence), "X", "Evaluation", EVALUATE | MERGE | REPORT | COMPARE | AGREE | PLAN,
     "of all intervals (default 0.95); the gates of --fail-under then compare the lower end of the metric's interval"},
    {"cluster", '\0', TEXT(cluster), "PATH", "Evaluation", EVALUATE | MERGE | CHECK | REPORT_RULES | AGREE,
     "path in the record of what cases have in common, such as the document of a page: intervals count these, not "
     "cases"},
    {"accept", '\0', SHARES(accept), "X[,X]", "Evaluation", EVALUATE | MERGE | REPORT,
     "wanted accuracies of answers that are accepted unseen because of their confidence (default 0.9,0.95,0.99): the "
     "report has the lowest threshold for each"},
    {"undecided", '\0', CHOICE(undecided), "fail|pass", "Evaluation", EVALUATE | MERGE,
     "whether a gate that cannot be decided (too few values, nothing compared) fails the run; it is UNDECIDED in "
     "either case"},
    {"only", '\0', TEXTS(only), "GLOB", "Evaluation", EVALUATE | MERGE,
     "judge only cases whose id matches; may be repeated: any match counts"},
    {"where", '\0', WHERE(where), "PATH=VALUE", "Evaluation", EVALUATE | MERGE | AUDIT,
     "judge only cases with this value in their record or in their record of expected values; PATH!=VALUE: without it; "
     "may be repeated: one path matches any of its values, and all paths must match"},
    {"repair", '\0', FLAG(repair), NULL, "Evaluation", EVALUATE | MERGE | CHECK | JUDGE | REPORT_RULES | EXPLAIN,
     "repair candidates that are nearly JSON (trailing commas, single quotes, comments, cut answers) and judge them"},
    {"missing", '\0', CHOICE(missing), "fail|skip", "Evaluation", EVALUATE | MERGE | EXPLAIN,
     "expected values without a record: fail judges an empty candidate (default), skip leaves them out"},
    {"limit", '\0', COUNT(limit, INT64_MAX), "N", "Evaluation", EVALUATE | AUDIT,
     "judge at most N cases; audit: look at the first N records of the truth; 0: all"},
    {"strict", '\0', FLAG(strict), NULL, "Evaluation", EVALUATE | AUDIT,
     "stop at the first invalid record, rule error or missing provider value; audit: exit status 1 if anything is "
     "found"},
    {"offline", '\0', FLAG(offline), NULL, "Evaluation", LOADING | MERGE | BENCH_RUN,
     "no requests to providers: answers from the cache only; and no programs (ee.exec)"},
    {"ca-file", '\0', TEXT(ca_file), "FILE", "Evaluation", (LOADING & ~(unsigned)TEST) | MERGE | BENCH_RUN,
     "the certificate authorities (PEM) that a provider's server must be certified by, in place of the system's"},
    {"max-requests", '\0', COUNT(max_requests, INT64_MAX), "N", "Evaluation",
     EVALUATE | MERGE | JUDGE | REPORT_RULES | AUDIT | AGREE | EXPLAIN | BENCH_RUN,
     "the most requests to a provider, retries included, in place of what the rules say; what is then left has no "
     "answer"},
    {"max-cost", '\0', AMOUNT(max_cost), "X", "Evaluation",
     EVALUATE | MERGE | JUDGE | REPORT_RULES | AUDIT | AGREE | EXPLAIN,
     "the most that the tokens of a provider may cost, by the prices in the rules; what is then left has no answer"},
    {"allow-programs", '\0', FLAG(allow_programs), NULL, "Evaluation", EVALUATE | MERGE | CHECK | EXPLAIN,
     "allow a YAML data set, and rule files that it names, to run programs; a rule file on the command line may "
     "without "
     "it, except in the jail"},
    {"no-exec", '\0', FLAG(no_exec), NULL, "Evaluation", LOADING | MERGE,
     "forbid all programs (ee.exec): rules that would run one do not load"},
    {"jobs", 'j', COUNT(jobs, 1024), "N", "Evaluation", EVALUATE | MERGE | REPORT | COMPARE | TREND | PLAN | BENCH_RUN,
     "workers; 0: one a core, as far as a container may use them (default); the output does not depend on N"},
    {"lua-budget", '\0', COUNT(lua_budget, INT64_MAX), "N", "Evaluation", LOADING | MERGE,
     "instructions a Lua call may use (default 10000000); 0: no limit"},

    {"timeout", '\0', LIMIT(timeout, EE_BOUND_TIMEOUT), "N", "Limits", LOADING | MERGE,
     "seconds of work a case may take, the same on every machine (default 20); what takes more is given up: its value "
     "or judge scores 0 with the reason; 0: no limit"},
    {"max-record", '\0', LIMIT(record, EE_BOUND_RECORD), "SIZE", "Limits", EE_IN_ANY,
     "the longest record in bytes, such as 100M (default 64M); 0, also below: no bound (--help-on limits lists all)"},
    {"max-file", '\0', LIMIT(file, EE_BOUND_FILE), "SIZE", "Limits", EE_IN_ANY,
     "the largest file that is read whole, such as YAML or one JSON document (default 512M)"},
    {"max-unpacked", '\0', LIMIT(unpacked, EE_BOUND_UNPACKED), "SIZE", "Limits", EE_IN_ANY,
     "what a .gz or .zst file may hold if that is more than 100 times its own size (default 512M)"},
    {"max-memory", '\0', LIMIT(memory, EE_BOUND_MEMORY), "SIZE", "Limits", LOADING | MERGE,
     "memory that one case may take (default 512M)"},
    {"max-items", '\0', LIMIT(items, EE_BOUND_ITEMS), "N", "Limits", LOADING | MERGE,
     "items of an array that are paired with those of another (default 100000)"},
    {"max-pairs", '\0', LIMIT(pairs, EE_BOUND_PAIRS), "N", "Limits", LOADING | MERGE,
     "possible pairs of two arrays that are held in memory (default 4000000)"},
    {"max-corners", '\0', LIMIT(corners, EE_BOUND_CORNERS), "N", "Limits", LOADING | MERGE,
     "corners of a polygon (default 10000)"},

    {"jail", '\0', FLAG(jail), NULL, "Jail", JAILED,
     "for rules and data that are not trusted (Linux): the program can use only the files that the command line names, "
     "no network, no other programs"},
    {"jail-read", '\0', TEXTS(jail_read), "PATH", "Jail", JAILED,
     "a file or folder that may be read in the jail, besides the data and the folder of the rule file; may be "
     "repeated"},
    {"jail-memory", '\0', COUNT(jail_memory, 1 << 30), "MIB", "Jail", JAILED,
     "memory that the program may use in the jail (default 4096); 0: no limit"},
    {"jail-cpu", '\0', COUNT(jail_cpu, 1 << 30), "S", "Jail", JAILED,
     "seconds of processor time, of all workers together, after which the program ends in the jail with status 5 "
     "(default 0: no limit)"},
    {"allow-network", '\0', FLAG(allow_network), NULL, "Jail", JAILED,
     "connections from the jail, for rules that ask a model; then keys of the environment can be sent, too"},

    {"shard", '\0', NUMBER(shard), "I/N", "Parts", PART,
     "read only part I of N of the data, and write its --state: JSONL is cut at bytes, packed files are not cut, "
     "everything else at records"},
    {"part", '\0', NUMBER(part), "I/N", "Parts", PART | COMPARE,
     "the data, or for compare the rows, are part I of N already, such as standard input from an engine that cuts it"},
    {"range", '\0', RANGE(range), "FROM:TO", "Parts", PART,
     "standard input is a piece of a larger JSONL object that starts at byte FROM - 1: read the records that begin at "
     "bytes FROM to TO - 1"},
    {"state", '\0', TEXT(state), "FILE", "Parts", PART | MERGE | COMPARE,
     "write what a part adds to the whole to FILE (- is standard output) instead of a report; 'merge' reads such "
     "states. "
     "merge: write one state of all that were given"},
    {"keep", '\0', WORDS(keep), "fail|borderline|P%", "Parts", PART,
     "of the rows of --results only those of cases that fail; that fail or are borderline; P percent of all, chosen by "
     "their ids; or several of these, separated by commas"},
    {"except", '\0', TEXT(except), "FILE", "Parts", PART,
     "leave out the ids that an earlier part has, from 'merge --duplicates FILE'"},
    {"duplicates", '\0', TEXT(duplicates), "FILE", "Parts", MERGE,
     "write to FILE hashes of the ids that several parts have, for --except when these parts run again"},
    {"partial", '\0', FLAG(partial), NULL, "Parts", MERGE,
     "report the parts that are there although others are missing"},
    {"rows", '\0', TEXTS(rows), "FILE", "Parts", MERGE,
     "the rows (--results) of the parts, for reports that show cases; repeated for each part, in any order"},

    {"dataset", '\0', TEXTS(datasets), "FILE", "Results", REPORT | BENCH_RUN,
     "report: the data set of the results; bench run: records (may be repeated; default: the shipped ones)"},
    {"rules", '\0', TEXT(rules), "FILE", "Results", REPORT,
     "judge the candidates of the results again, with the expected values of --dataset"},
    {"judge", '\0', TEXT(judge), "NAME", "Results", REPORT | EXPLAIN, "only the attributes of this judge"},
    {"case", '\0', TEXTS(cases), "ID", "Results", REPORT | EXPLAIN,
     "one case in full: its score with its formula, and for each judge the values, expected beside candidate; may be "
     "repeated"},
    {"threshold", '\0', SHARE(threshold), "X", "Results", COMPARE,
     "the smallest difference of scores that is a win or a loss (default 0: any)"},
    {"common", '\0', FLAG(common), NULL, "Results", COMPARE | PLAN,
     "compare the cases that both have, even if ids or expected values differ"},
    {"force", '\0', FLAG(force), NULL, "Results", COMPARE | PLAN | TREND,
     "compare runs that were judged by different rules; a note says so. trend: also compare the last run with those "
     "of other rules and data"},
    {"pairs", '\0', CHOICE(pairs), "first|all", "Results", COMPARE,
     "of three or more runs: compare each with the first (default), or all with each other"},
    {"fail-on", '\0', CHOICE_FROM(1, fail_on), "any|mean|significant|field|margin", "Results", COMPARE | MERGE,
     "exit status 1 if any case or field got worse (chance alone does that), if the mean fell, if it fell "
     "significantly, if a field got significantly worse, or unless the new run is not worse by more than --margin"},
    {"correction", '\0', CHOICE(correction), "holm|bh|none", "Results", COMPARE | MERGE,
     "of the p values of fields, and of slices, for their number (default: holm)"},

    {"effect", '\0', SHARE(effect), "X", "Results", PLAN,
     "the difference of mean scores or pass rates that is to be found (default 0.02)"},
    {"power", '\0', SHARE(power), "X", "Results", PLAN, "with what probability it is found (default 0.8)"},
    {"half-width", '\0', SHARE(half_width), "X", "Results", PLAN,
     "cases for an interval of one run of plus or minus X (default 0.05, 0.02 and 0.01)"},
    {"clusters", '\0', FLAG(clusters), NULL, "Results", PLAN,
     "an error unless rows have clusters (--cluster of the evaluation), which are counted wherever rows have them"},
    {"fail-below", '\0', CHOICE_FROM(1, fail_below), "best|mean|last", "Results", TREND,
     "exit status 1 if the last run is below the best of the earlier runs, below their mean, or below the run before "
     "it"},
    {"metric", '\0', TEXTS(metrics), "[JUDGE:[FIELD:]]METRIC", "Results", TREND,
     "the metric of --fail-below, such as header:total:f1, or 'meta.cost_usd mean' for a measure; default mean_score; "
     "may be repeated"},
    {"margin", '\0', SHARE(margin), "X", "Results", TREND | COMPARE | MERGE,
     "compare: the largest loss of the mean score that does not matter, such as 0.01: says NOT WORSE, WORSE or "
     "UNDECIDED. trend: how far the last run may be below; a measure may be above by the share X of the earlier value"},
    {"check", '\0', WORDS(checks), "KIND[,KIND]", "Audit", AUDIT,
     "only these kinds of finding, such as not-in-source,sum; may be repeated"},
    {"annotator", '\0', TEXT(annotator), "FILE", "Audit", AUDIT,
     "expected values of another annotator: what differs from the truth is a finding"},
    {"source", '\0', PATHS(sources), "PATH", "Audit", AUDIT,
     "path of the text from which a record's values were taken (default documentText, ocr_text, text, ...)"},

    {"mode", '\0', CHOICE(bench_mode), "deterministic|variance", "Bench", BENCH_RUN,
     "one trial of each record, or several (default deterministic)"},
    {"trials", '\0', COUNT(trials, EE_BENCH_MAX_TRIALS), "N", "Bench", BENCH_RUN,
     "trials of each record in variance mode, at least 2 (default 3)"},
    {"provider", '\0', CHOICE(provider), "recorded|openai", "Bench", BENCH_RUN,
     "answers from the records (default), or from a model (OPENAI_BASE_URL, OPENAI_MODEL, OPENAI_API_KEY)"},
    {"out", '\0', TEXT(out), "FILE", "Bench", BENCH_RUN, "the file of the run (default run.json)"},
    {"min", '\0', TEXTS(minimum), "METRIC=X", "Bench", BENCH_SCORE,
     "a gate of bench score: exit status 1 below X; may be repeated (default 1 for schemaValidRate and "
     "quoteInvariantRate)"},
    {"baseline", '\0', TEXT(baseline), "FILE", "Bench", BENCH_SCORE, "an earlier run for bench score to compare with"},

    {"persistent", '\0', FLAG(persistent), NULL, "Judge", JUDGE,
     "one payload a line and one result a line, until the input ends"},

    {"help", 'h', REQUEST(ee_print_help), NULL, "Help", EE_IN_ANY,
     "print help and exit; after a command, help on that command"},
    {"version", 'V', REQUEST(ee_print_version), NULL, "Help", EE_IN_ANY, "print the version and exit"},
    {"list", '\0', REQUEST(ee_print_list), NULL, "Help", EE_IN_ANY, "list the judges, strategies and primitives"},
    {"help-on", '\0', REQUEST(ee_print_help_on), "NAME", "Help", EE_IN_ANY,
     "explain a judge, a strategy or a primitive: definition, options, defaults"},
    {"print-man", '\0', REQUEST(ee_print_man), NULL, "Help", EE_IN_ANY, "print the manual page"},
    {"print-completion", '\0', REQUEST(ee_print_completion), "bash|zsh|fish", "Help", EE_IN_ANY,
     "print completions for a shell"},
    {"print-meta", '\0', REQUEST(ee_print_meta), NULL, "Help", EE_IN_ANY,
     "print the editor's definitions (LuaCATS) of the rule language"},
    {NULL, '\0', EE_KIND_FLAG, 0, 0, 0, NULL, NULL, NULL, 0, NULL},
};

const ee_command_row ee_command_rows[] = {
    {NULL, EE_FIRST_RULES, EVALUATE | PART, "RULES.lua DATA...", 2, 0, NULL,
     "evaluate; the rules are Lua, YAML or JSON; DATA is JSONL, a JSON array or a YAML data set, plain or .gz; - is "
     "standard input",
     ee_command_evaluate, NULL},
    {NULL, EE_FIRST_YAML, EVALUATE | PART, "DATASET.yaml [CANDIDATES]...", 1, 0, NULL,
     "evaluate with the evaluators and expected values of the data set, and without CANDIDATES its candidates",
     ee_command_evaluate, NULL},
    {NULL, EE_FIRST_DATA, EVALUATE | PART, "EXPECTED CANDIDATES...", 1, 0, NULL,
     "evaluate without a rule file: the values suggest the rules; one FILE may hold both sides; --save-rules saves the "
     "rules",
     ee_command_evaluate, NULL},
    {"watch", EE_FIRST_WORD, EVALUATE, "RULES.lua DATA...", 2, 0, "a rule file and data",
     "evaluate, and again whenever rules or data are saved, and print what changed; Ctrl-C ends it", ee_command_watch,
     "evalengine watch rules.lua data.jsonl"},
    {"init", EE_FIRST_WORD, EE_IN_INIT, "EXPECTED [CANDIDATES]...", 1, 0, "data",
     "write a rule file suggested by the data, with the reason for each choice, and a test of it", ee_command_init,
     "evalengine init truth.jsonl answers.jsonl -o rules.lua"},
    {"check", EE_FIRST_WORD, CHECK, "RULES.lua [DATA]...", 1, 0, "a rule file",
     "load, validate, print the plan; with DATA, find functions that keep state; RULES.lua may be rules in YAML "
     "or JSON, or a YAML data set with evaluators; --to-lua and --to-yaml write the rules in the other form",
     ee_command_check, "evalengine check rules.lua data.jsonl"},
    {"test", EE_FIRST_WORD, EE_IN_TEST, "FILE_test.lua...", 1, 0, "a rule test", "run rule tests", ee_command_test,
     "evalengine test rules_test.lua"},
    {"merge", EE_FIRST_WORD, MERGE, "[RULES.lua] STATE...", 1, 0, "a rule file and states, or states of comparisons",
     "the report of the whole from the states of its parts (--shard I/N --state FILE), with the same bytes and exit "
     "status; states of comparisons (compare --state) need no rules",
     ee_command_merge, "evalengine merge rules.lua part-*.state -f json"},
    {"report", EE_FIRST_WORD, REPORT | REPORT_RULES, "RESULTS.jsonl...", 1, 0, "results",
     "the table of attributes, from rows of --results", ee_command_report,
     "evalengine report rows.jsonl --columns TP,FP,FN,F1"},
    {"explain", EE_FIRST_WORD, EXPLAIN, "[RULES.lua] DATA... --case ID", 1, 0, "rules and data, or data",
     "judge one case and show how its score came about: every value, how it was compared, and formulas",
     ee_command_explain, "evalengine explain rules.lua data.jsonl --case inv-17"},
    {"compare", EE_FIRST_WORD, COMPARE, "BASE.jsonl NEW.jsonl...", 2, 0, "two files of results",
     "what got better, what got worse, and whether it is significant; of several runs, which is best",
     ee_command_compare, "evalengine compare old.jsonl new.jsonl --fail-on significant"},
    {"trend", EE_FIRST_WORD, TREND, "SUMMARY.json...", 1, 0, "a file",
     "metrics over several runs, from the summaries of -f json or from rows of --results, and a gate on the last run",
     ee_command_trend, "evalengine trend monday.json tuesday.json"},
    {"plan", EE_FIRST_WORD, PLAN, "BASE.jsonl [NEW.jsonl]", 1, 2, "a file of results",
     "how many cases are needed to find a difference of two runs, from the variance of these, and what these cases can "
     "show",
     ee_command_plan, "evalengine plan old.jsonl new.jsonl --effect 0.02 --power 0.8"},
    {"audit", EE_FIRST_WORD, AUDIT, "[RULES.lua] TRUTH [CANDIDATES]...", 1, 0, "a data set",
     "look for mistakes in the expected values; prints a work list, the largest likely gain first", ee_command_audit,
     "evalengine audit rules.lua data.jsonl"},
    {"agree", EE_FIRST_WORD, AGREE, "[RULES.lua] A B [MODEL]", 2, 4, "the files of two annotators",
     "how far two annotators agree, field by field, and whether a model agrees as well", ee_command_agree,
     "evalengine agree rules.lua anna.jsonl bert.jsonl model.jsonl"},
    {"bench", EE_FIRST_WORD, BENCH, "run|score|add [FILE]...", 1, 0, "run, score or add",
     "the extraction bench: run trials, score a run, add the records of a pack", ee_command_bench,
     "evalengine bench score run.json --min stability=0.9"},
    {"judge", EE_FIRST_WORD, JUDGE, "RULES.lua", 1, 1, "a rule file",
     "run as a code_judge: one payload on standard input, one result on standard output", ee_command_judge,
     "evalengine judge rules.lua < payload.json"},
    {"rules", EE_FIRST_WORD, EE_IN_RULES, "[NAME]", 0, 1, "a name",
     "list the shipped rules, by whose names all commands know them; with NAME, print the file", ee_command_rules,
     "evalengine rules invoice"},
    {NULL, EE_FIRST_WORD, 0, NULL, 0, 0, NULL, NULL, NULL, NULL},
};

/* Parts of reports ------------------------------------------------------------------------------ */

/* Worst cases where only the section is asked for. */
#define USUAL_WORST 10

static bool is_section(const ee_options *options, const char *name) {
  for (size_t i = 0; i < options->sections.count; i++)
    if (strcmp(options->sections.items[i], name) == 0) return true;
  return false;
}

ee_mistake_choice ee_options_mistakes(const ee_options *options) {
  ee_mistake_choice choice = {.kinds = options->kinds || is_section(options, "kinds"),
                              .reasons = options->reasons || is_section(options, "reasons"),
                              .worst = (size_t)options->worst,
                              .order = (ee_attribute_order)options->sort};
  if (choice.worst == 0 && is_section(options, "worst")) choice.worst = USUAL_WORST;
  return choice;
}

/* Values of options ---------------------------------------------------------------------------- */

const char *ee_option_argument(const ee_option_row *row, ee_arena *arena) {
  if (row->kind != EE_KIND_FORMAT) return row->argument;
  const char *names = "";
  for (const ee_report_format *format = ee_report_formats; format->name != NULL; format++)
    names = ee_arena_printf(arena, "%s%s%s", names, *names != '\0' ? "|" : "", format->name);
  return names;
}

/* A whole number from 0, all of `text`. */
static bool parse_count(const char *text, int64_t max, int64_t *value) {
  if (*text < '0' || *text > '9') return false;
  int64_t sum = 0;
  for (; *text != '\0'; text++) {
    if (*text < '0' || *text > '9') return false;
    int64_t digit = *text - '0';
    if (sum > (max - digit) / 10) return false;
    sum = sum * 10 + digit;
  }
  *value = sum;
  return true;
}

/* A whole number up to `stop`, the character after it or the end. */
static bool parse_until(const char *text, char stop, uint64_t *value, const char **rest) {
  const char *end = strchr(text, stop);
  size_t length = end != NULL ? (size_t)(end - text) : strlen(text);
  char digits[24];
  int64_t number;
  if (length == 0 || length >= sizeof digits) return false;
  memcpy(digits, text, length);
  digits[length] = '\0';
  if (!parse_count(digits, INT64_MAX, &number)) return false;
  *value = (uint64_t)number;
  *rest = end != NULL ? end + 1 : NULL;
  return true;
}

static ee_status parse_part(const ee_option_row *row, const char *value, ee_part_number *number, ee_error *error) {
  const char *rest;
  bool good = parse_until(value, '/', &number->part, &rest) && rest != NULL &&
              parse_until(rest, '\0', &number->of, &rest) && number->part >= 1 && number->part <= number->of;
  if (good) return EE_OK;
  return ee_error_set(error, EE_ERROR_USAGE, "--%s must be I/N with I from 1 to N, such as 3/8, got '%s'", row->name,
                      value);
}

static ee_status parse_range(const ee_option_row *row, const char *value, ee_byte_range *range, ee_error *error) {
  const char *rest;
  bool good = parse_until(value, ':', &range->from, &rest) && rest != NULL &&
              parse_until(rest, '\0', &range->to, &rest) && range->from <= range->to;
  if (good) return EE_OK;
  return ee_error_set(error, EE_ERROR_USAGE,
                      "--%s must be FROM:TO, bytes counted from 0 and TO not included, such as 0:1000000, got '%s'",
                      row->name, value);
}

/* A size or a count; 0 lifts the bound. */
static ee_status parse_limit(const ee_option_row *row, const char *value, uint64_t *number, ee_error *error) {
  const ee_bound bound = (ee_bound)row->min;
  const ee_bound_row *limits = &ee_bound_rows[bound];
  if (ee_bound_parse(bound, value, number)) return EE_OK;
  char max[EE_BOUND_TEXT];
  return ee_error_set(error, EE_ERROR_USAGE, "--%s must be a whole number%s from 0 to %s, got '%s'", row->name,
                      limits->unit == EE_UNIT_BYTES ? " of bytes, such as 1000000, 64K, 100M or 2G," : "",
                      ee_bound_value_text(bound, limits->max, max), value);
}

static bool parse_number(const char *text, ee_arena *arena, double *value) {
  return ee_number_parse(ee_str_from(text), (ee_number_format){.decimal = '.'}, arena, value, NULL);
}

static bool parse_share(const char *text, ee_arena *arena, double *value) {
  return parse_number(text, arena, value) && *value >= 0 && *value <= 1;
}

/* The index of `text` among "a|b|c", or -1. */
static int find_choice(const char *choices, const char *text) {
  size_t length = strlen(text);
  int index = 0;
  for (const char *at = choices;; index++) {
    // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): rows of this kind have choices
    size_t span = strcspn(at, "|");
    if (span == length && memcmp(at, text, length) == 0) return index;
    if (at[span] == '\0') return -1;
    at += span + 1;
  }
}

static const ee_option_row *find_long(const char *name, size_t length);

static ee_status unknown_choice(const ee_options *options, const ee_option_row *row, const char *value,
                                ee_error *error) {
  return ee_error_set(error, EE_ERROR_USAGE, "unknown value '%s' for --%s (one of %s)", value, row->name,
                      ee_option_argument(row, options->arena));
}

/* Splits `value` at its commas. */
static void add_words(ee_options *options, ee_texts *list, char *value) {
  while (value != NULL) {
    char *comma = strchr(value, ',');
    if (comma != NULL) *comma++ = '\0';
    *EE_LIST_ADD(list, options->arena) = value;
    value = comma;
  }
}

/* Splits `value` at commas outside brackets and parses what is between them. */
static ee_status add_paths(ee_options *options, const ee_option_row *row, ee_paths *list, const char *value,
                           ee_error *error) {
  for (const char *at = value;;) {
    size_t length = 0;
    for (int depth = 0; at[length] != '\0' && (at[length] != ',' || depth > 0); length++)
      depth += (at[length] == '[') - (at[length] == ']');
    ee_error cause = {0};
    const ee_path *path = ee_record_path_parse(options->arena, (ee_str){at, length}, &cause);
    if (path == NULL) return ee_error_set(error, EE_ERROR_USAGE, "bad path in --%s: %s", row->name, cause.message);
    *EE_LIST_ADD(list, options->arena) = path;
    if (at[length] == '\0') return EE_OK;
    at += length + 1;
  }
}

static ee_status add_parameter(ee_options *options, ee_parameters *list, char *value, ee_error *error) {
  char *equals = strchr(value, '=');
  if (equals == NULL || equals == value)
    return ee_error_set(error, EE_ERROR_USAGE, "--set must be NAME=VALUE, got '%s'", value);
  *equals = '\0';
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->items[i].name, value) == 0 && strcmp(list->items[i].value, equals + 1) != 0)
      return ee_error_set(error, EE_ERROR_USAGE, "--set %s is given twice, with different values", value);
  /* Sorted and each once: the hash of the rules does not depend on how a command line is put together. */
  size_t at = list->count;
  while (at > 0 && strcmp(list->items[at - 1].name, value) > 0) at--;
  if (at > 0 && strcmp(list->items[at - 1].name, value) == 0) return EE_OK;
  EE_LIST_ADD(list, options->arena);
  memmove(list->items + at + 1, list->items + at, (list->count - 1 - at) * sizeof *list->items);
  list->items[at] = (ee_lua_parameter){.name = value, .value = equals + 1};
  return EE_OK;
}

/* An option with one value must not be given twice with two: the first would be ignored. */
static ee_status check_repeated(const ee_options *options, const ee_option_row *row, const char *value,
                                ee_error *error) {
  bool repeats = row->kind == EE_KIND_TEXTS || row->kind == EE_KIND_WORDS || row->kind == EE_KIND_SHARES ||
                 row->kind == EE_KIND_PARAMETERS || row->kind == EE_KIND_PATHS || row->kind == EE_KIND_WHERE ||
                 row->kind == EE_KIND_REQUEST;
  const char *before = options->given[row - ee_option_rows];
  if (repeats || before == NULL || strcmp(before, value) == 0) return EE_OK;
  return ee_error_set(error, EE_ERROR_USAGE, "--%s is given twice: '%s' and '%s'", row->name, before, value);
}

/* A name that is not a format's may be that of a report of the rules, which are not loaded yet. */
static const ee_report_format *own_format(const ee_options *options, const char *name) {
  ee_report_format *format = EE_NEW(options->arena, ee_report_format);
  *format = (ee_report_format){.name = name, .own = true};
  return format;
}

/* Commands without rules of their own have the formats of the program and no others. */
static ee_status check_own_format(const ee_options *options, ee_error *error) {
  unsigned bits = options->command->bits;
  bool evaluates = (bits & EE_IN_EVALUATE) != 0 && options->command->first == EE_FIRST_RULES;
  bool has_rules = evaluates || bits == EE_IN_MERGE || ((bits & EE_IN_REPORT_RULES) != 0 && options->rules != NULL);
  if (!options->format->own || has_rules) return EE_OK;
  ee_arena *arena = options->arena;
  const char *name = options->format->name;
  const char *suggestion = ee_suggestion(arena, ee_str_from(name), ee_report_format_names(NULL, arena));
  if (*suggestion != '\0') return ee_error_set(error, EE_ERROR_USAGE, "unknown format '%s'%s", name, suggestion);
  if (bits == (EE_IN_REPORT | EE_IN_REPORT_RULES))
    return ee_error_set(error, EE_ERROR_USAGE, "unknown format '%s' (an ee.report of a rule file needs --rules)", name);
  return unknown_choice(options, find_long("format", 6), name, error);
}

/* Adds the numbers in "0.9,0.99". */
static ee_status add_shares(ee_options *options, const ee_option_row *row, ee_shares *shares, char *value,
                            ee_error *error) {
  ee_texts words = {0};
  add_words(options, &words, value);
  for (size_t i = 0; i < words.count; i++) {
    double share;
    if (!parse_share(words.items[i], options->arena, &share) || !(share > 0 && share < 1))
      return ee_error_set(error, EE_ERROR_USAGE, "--%s must be numbers above 0 and below 1, got '%s'", row->name,
                          words.items[i]);
    *EE_LIST_ADD(shares, options->arena) = share;
  }
  return EE_OK;
}

/* Puts `value` (NULL for a flag) where the row says. */
static ee_status apply(ee_options *options, const ee_option_row *row, char *value, ee_error *error) {
  void *member = (char *)options + row->offset;
  static char nothing[] = ""; /* of a flag */
  if (value == NULL) value = nothing;
  ee_status status = check_repeated(options, row, value, error);
  if (status != EE_OK) return status;
  options->given[row - ee_option_rows] = value;
  switch (row->kind) {
  case EE_KIND_FLAG: *(bool *)member = true; return EE_OK;
  case EE_KIND_TEXT: *(const char **)member = value; return EE_OK;
  case EE_KIND_TEXTS: *EE_LIST_ADD((ee_texts *)member, options->arena) = value; return EE_OK;
  case EE_KIND_WORDS: add_words(options, member, value); return EE_OK;
  case EE_KIND_PARAMETERS: return add_parameter(options, member, value, error);
  case EE_KIND_WHERE:
    return ee_where_parse(options->arena, value, EE_LIST_ADD((ee_wheres *)member, options->arena), error);
  case EE_KIND_PATHS: return add_paths(options, row, member, value, error);
  case EE_KIND_CHOICE: {
    int index = find_choice(row->argument, value);
    if (index < 0) return unknown_choice(options, row, value, error);
    *(int *)member = (int)row->min + index;
    return EE_OK;
  }
  case EE_KIND_FORMAT: {
    const ee_report_format *format = ee_report_format_find(ee_str_from(value));
    if (format == NULL) format = own_format(options, value);
    *(const ee_report_format **)member = format;
    return EE_OK;
  }
  case EE_KIND_COUNT:
    if (parse_count(value, row->max, member)) return EE_OK;
    return ee_error_set(error, EE_ERROR_USAGE, "--%s must be a whole number from 0 to %lld, got '%s'", row->name,
                        (long long)row->max, value);
  case EE_KIND_LIMIT: return parse_limit(row, value, member, error);
  case EE_KIND_SHARES: return add_shares(options, row, member, value, error);
  case EE_KIND_PART: return parse_part(row, value, member, error);
  case EE_KIND_RANGE: return parse_range(row, value, member, error);
  case EE_KIND_SHARE:
    if (parse_share(value, options->arena, member)) return EE_OK;
    return ee_error_set(error, EE_ERROR_USAGE, "--%s must be a number from 0 to 1, got '%s'", row->name, value);
  case EE_KIND_AMOUNT: {
    double *amount = member;
    if (parse_number(value, options->arena, amount) && *amount > 0 && *amount <= 1e9) return EE_OK;
    return ee_error_set(error, EE_ERROR_USAGE, "--%s must be a number above 0, got '%s'", row->name, value);
  }
  case EE_KIND_REQUEST:
    /* The first request wins: `--help --version` prints the help. */
    if (options->request != NULL) return EE_OK;
    options->request = row;
    options->request_argument = value;
    return EE_OK;
  }
  return EE_OK;
}

/* Words of the command line -------------------------------------------------------------------- */

static const ee_option_row *find_long(const char *name, size_t length) {
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++)
    if (ee_str_is((ee_str){name, length}, row->name)) return row;
  return NULL;
}

static const ee_option_row *find_short(char letter) {
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++)
    if (row->letter != '\0' && row->letter == letter) return row;
  return NULL;
}

static ee_status unknown_long(const char *name, size_t length, ee_error *error) {
  const char *names[sizeof ee_option_rows / sizeof *ee_option_rows];
  size_t count = 0;
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++) names[count++] = row->name;
  names[count] = NULL;
  char word[64];
  size_t kept = length < sizeof word - 1 ? length : sizeof word - 1;
  memcpy(word, name, kept);
  word[kept] = '\0';
  const char *near = ee_did_you_mean(word, names);
  if (near != NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "unknown option '--%s' (did you mean '--%s'?)", word, near);
  return ee_error_set(error, EE_ERROR_USAGE, "unknown option '--%s' (see --help)", word);
}

/* Takes the next word as the option's value. */
static ee_status apply_next(int argc, char **argv, int *at, ee_options *options, const ee_option_row *row,
                            ee_error *error) {
  if (*at + 1 < argc) return apply(options, row, argv[++*at], error);
  return ee_error_set(error, EE_ERROR_USAGE, "--%s needs a value: --%s %s", row->name, row->name,
                      ee_option_argument(row, options->arena));
}

/* "--name", "--name=value" or "--name value" at argv[*at]; leaves *at on the last word that it used. */
static ee_status parse_long(int argc, char **argv, int *at, ee_options *options, ee_error *error) {
  char *name = argv[*at] + 2;
  size_t length = strcspn(name, "=");
  const ee_option_row *row = find_long(name, length);
  if (row == NULL) return unknown_long(name, length, error);
  char *value = name[length] == '=' ? name + length + 1 : NULL;
  const char *argument = ee_option_argument(row, options->arena);
  if (argument == NULL && value != NULL) return ee_error_set(error, EE_ERROR_USAGE, "--%s takes no value", row->name);
  if (argument == NULL || value != NULL) return apply(options, row, value, error);
  return apply_next(argc, argv, at, options, row, error);
}

/* "-qv", "-j4", "-j 4". */
static ee_status parse_short(int argc, char **argv, int *at, ee_options *options, ee_error *error) {
  for (char *letter = argv[*at] + 1; *letter != '\0'; letter++) {
    const ee_option_row *row = find_short(*letter);
    if (row == NULL) return ee_error_set(error, EE_ERROR_USAGE, "unknown option '-%c' (see --help)", *letter);
    if (ee_option_argument(row, options->arena) == NULL) {
      ee_status status = apply(options, row, NULL, error);
      if (status != EE_OK) return status;
      continue;
    }
    if (letter[1] != '\0') return apply(options, row, letter + 1, error);
    return apply_next(argc, argv, at, options, row, error);
  }
  return EE_OK;
}

/* Commands ------------------------------------------------------------------------------------- */

static bool has_ending(const char *text, const char *ending) {
  size_t length = strlen(text), tail = strlen(ending);
  return length >= tail && strcmp(text + length - tail, ending) == 0;
}

bool ee_names_rules(const ee_options *options, const char *file) {
  const ee_host *host = ee_host_current();
  bool found =
      has_ending(file, ".lua") || (host != NULL && host->rules_name != NULL && strcmp(host->rules_name, file) == 0);
  for (size_t i = 0; i < options->document_count; i++) found = found || strcmp(options->documents[i], file) == 0;
  return found;
}

/* Looks whether the file is a document of rules. */
static ee_status examine(ee_options *options, const char *file, ee_error *error) {
  bool is_document;
  if (ee_names_rules(options, file)) return EE_OK;
  ee_status status = ee_is_rule_document_file(file, &is_document, error);
  if (is_document) options->documents[options->document_count++] = file;
  return status;
}

/* Of any file; what cannot be read is not. */
static bool is_rule_file(const char *file) {
  bool is_document;
  return has_ending(file, ".lua") ||
         (ee_is_rule_document_file(file, &is_document, &(ee_error){0}) == EE_OK && is_document);
}

static ee_first_operand kind_of(const ee_options *options) {
  const char *first = options->operands[0];
  bool is_file = strcmp(first, "-") == 0 || strpbrk(first, "./") != NULL || access(first, F_OK) == 0;
  return ee_names_rules(options, first) ? EE_FIRST_RULES
         : ee_is_yaml_name(first)       ? EE_FIRST_YAML
         : is_file                      ? EE_FIRST_DATA
                                        : EE_FIRST_WORD;
}

static const ee_command_row *find_kind(ee_first_operand kind) {
  const ee_command_row *row = ee_command_rows;
  while (row->first != kind) row++;
  return row;
}

/* The command whose word is the first operand; NULL if there is none. */
static const ee_command_row *find_word(const char *first) {
  for (const ee_command_row *row = ee_command_rows; first != NULL && row->operands != NULL; row++)
    if (row->first == EE_FIRST_WORD && strcmp(first, row->word) == 0) return row;
  return NULL;
}

const ee_command_row *ee_evaluation_of(const ee_options *options) {
  ee_first_operand kind = kind_of(options);
  return find_kind(kind == EE_FIRST_WORD ? EE_FIRST_DATA : kind);
}

/* The command that people mean by a word that other programs have. */
static const char *command_like(const char *word) {
  static const char *const words[][2] = {{"combine", "merge"}, {"reduce", "merge"}, {"merge-reports", "merge"},
                                         {"diff", "compare"},  {"lint", "check"},   {"validate", "check"},
                                         {"show", "report"},   {"why", "explain"},  {"summary", "report"},
                                         {"serve", "judge"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(word, words[i][0]) == 0) return words[i][1];
  return NULL;
}

static ee_status no_command(const char *first, ee_arena *arena, ee_error *error) {
  const char *words[sizeof ee_command_rows / sizeof *ee_command_rows];
  size_t count = 0;
  for (const ee_command_row *row = ee_command_rows; row->operands != NULL; row++)
    if (row->word != NULL) words[count++] = row->word;
  words[count] = NULL;
  bool is_word = strchr(first, '.') == NULL && strchr(first, '/') == NULL;
  const char *near = is_word ? command_like(first) : NULL;
  if (is_word && near == NULL) near = ee_did_you_mean(first, words);
  if (near != NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "unknown command '%s' (did you mean '%s'?)", first, near);
  ee_status status = ee_named_rules_check(first, arena, error);
  if (status != EE_OK) return status;
  return ee_error_set(error, EE_ERROR_USAGE,
                      "unknown command '%s' ('evalengine help' lists them, 'evalengine rules' the shipped rules)",
                      first);
}

/* Names of shipped rules ------------------------------------------------------------------------- */

bool ee_command_takes_rules(const ee_command_row *command) {
  return strncmp(command->operands, "RULES.lua", 9) == 0 || strncmp(command->operands, "[RULES.lua]", 11) == 0;
}

/* Puts the path of shipped rules where `*operand` is their name, and says so. */
static ee_status resolve(ee_options *options, const char **operand, const char *ending, bool folders, ee_error *error) {
  const char *name = *operand;
  ee_named_rules found;
  ee_status status = ee_named_rules_find(name, ending, folders, options->arena, &found, error);
  *operand = found.path;
  if (found.shipped)
    options->rules_note = ee_arena_printf(options->arena, "rules %s", found.path);
  else if (found.hidden)
    options->rules_note = ee_arena_printf(
        options->arena, "'%s' here is read, not the shipped rules of that name ('evalengine rules')", name);
  return status;
}

/* Of a command with a word. */
static ee_status resolve_operands(ee_options *options, ee_error *error) {
  unsigned bits = options->command->bits;
  ee_status status = EE_OK;
  for (size_t i = 0; bits == EE_IN_TEST && status == EE_OK && i < options->operand_count; i++)
    status = resolve(options, &options->operands[i], "_test", false, error);
  if (ee_command_takes_rules(options->command) && options->operand_count > 0) {
    bool folders = bits != EE_IN_CHECK && bits != EE_IN_JUDGE;
    status = resolve(options, &options->operands[0], "", folders, error);
    if (status == EE_OK) status = ee_named_rules_check(options->operands[0], options->arena, error);
    if (status == EE_OK) status = examine(options, options->operands[0], error);
  }
  if (status == EE_OK && options->rules != NULL) status = resolve(options, &options->rules, "", false, error);
  if (status == EE_OK && options->rules != NULL) status = examine(options, options->rules, error);
  /* These print the file themselves, or are for programs. */
  if (bits == EE_IN_CHECK || bits == EE_IN_TEST || bits == EE_IN_JUDGE) options->rules_note = NULL;
  return status;
}

const char *ee_options_misplaced(const ee_options *options, unsigned commands) {
  for (size_t i = 0; ee_option_rows[i].name != NULL; i++)
    if (options->given[i] != NULL && (ee_option_rows[i].commands & commands) == 0) return ee_option_rows[i].name;
  return NULL;
}

/* An option that the command would ignore is a mistake. */
static ee_status check_taken(const ee_options *options, ee_error *error) {
  const ee_command_row *command = options->command;
  const char *name = ee_options_misplaced(options, command->bits);
  if (name == NULL) return EE_OK;
  if (command->word == NULL && strcmp(name, "case") == 0)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "--case does not apply to an evaluation (did you mean 'evalengine explain'?)");
  if (command->word == NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "--%s does not apply to an evaluation (see --help)", name);
  if (strcmp(command->word, "compare") == 0 && strcmp(name, "cluster") == 0)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "--cluster does not apply to 'compare', which takes clusters from the rows: give it to the "
                        "evaluations that write them");
  return ee_error_set(error, EE_ERROR_USAGE, "--%s does not apply to '%s' (see --help)", name, command->word);
}

/* The first operand is a command when it is one of the words; what follows must fit it. */
static ee_status check_operands(ee_options *options, ee_error *error) {
  const char *first = options->operand_count > 0 ? options->operands[0] : NULL;
  if (first == NULL)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "nothing to do: give a rule file and data, or expected values and candidates (see --help)");
  const ee_command_row *command = find_word(first);
  ee_status status = EE_OK;
  if (command == NULL) {
    status = resolve(options, &options->operands[0], "", true, error);
    if (status == EE_OK) status = examine(options, options->operands[0], error);
    if (status != EE_OK) return status;
    ee_first_operand kind = kind_of(options);
    if (kind != EE_FIRST_WORD) command = find_kind(kind);
  }
  if (command == NULL) return no_command(first, options->arena, error);
  options->command = command;
  if (command->word != NULL) {
    options->operands++;
    options->operand_count--;
    status = resolve_operands(options, error);
  } else if (command->first == EE_FIRST_DATA) {
    status = ee_named_rules_check(first, options->arena, error);
  }
  if (status != EE_OK) return status;
  size_t count = options->operand_count;
  for (size_t i = 1; command->first == EE_FIRST_DATA && i < count; i++)
    if (is_rule_file(options->operands[i]))
      return ee_error_set(error, EE_ERROR_USAGE, "a rule file comes before the data: evalengine %s %s",
                          options->operands[i], first);
  if (command->word == NULL && count < command->min)
    return ee_error_set(error, EE_ERROR_USAGE, "no data set: evalengine %s DATA.jsonl (- reads standard input)", first);
  if (count < command->min)
    return ee_error_set(error, EE_ERROR_USAGE, "'%s' needs %s: evalengine %s %s", command->word, command->needs,
                        command->word, command->operands);
  if (command->max > 0 && count > command->max)
    return ee_error_set(error, EE_ERROR_USAGE, "'%s' takes no operand '%s': evalengine %s %s", command->word,
                        options->operands[command->max], command->word, command->operands);
  size_t inputs = 0;
  for (size_t i = 0; i < count; i++) inputs += strcmp(options->operands[i], "-") == 0;
  if (inputs > 1) return ee_error_set(error, EE_ERROR_USAGE, "standard input '-' is given twice");
  return check_taken(options, error);
}

/* "table (.txt), json (.json), ...", of formats with a suffix. */
static const char *list_suffixes(ee_arena *arena) {
  const char *list = "";
  for (const ee_report_format *format = ee_report_formats; format->name != NULL; format++)
    if (format->suffix != NULL)
      list = ee_arena_printf(arena, "%s%s.%s", list, *list != '\0' ? ", " : "", format->suffix);
  return list;
}

/* Without --format, the name of the output file chooses the format. */
static ee_status choose_format(ee_options *options, ee_error *error) {
  if (options->output == NULL || options->given[find_long("format", 6) - ee_option_rows] != NULL) return EE_OK;
  if (options->command->bits == EE_IN_INIT) return EE_OK; /* a rule file */
  ee_str suffix = ee_report_suffix(options->output);
  if (suffix.length == 0) return EE_OK;
  const ee_report_format *format = ee_report_format_of_suffix(suffix);
  if (format == NULL)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "no format has the suffix of '%s' (one of %s); --format chooses one for any name",
                        options->output, list_suffixes(options->arena));
  options->format = format;
  return EE_OK;
}

/* `evalengine help`, `help compare`, `help numeric` are --help, `compare --help`, `--help-on numeric`. */
static ee_status read_help(ee_options *options, ee_error *error) {
  if (options->operand_count > 2)
    return ee_error_set(error, EE_ERROR_USAGE, "'help' takes one name, got '%s'", options->operands[2]);
  const char *name = options->operand_count == 2 ? options->operands[1] : NULL;
  options->command = find_word(name);
  options->request_argument = name;
  const char *row = name == NULL || options->command != NULL ? "help" : "help-on";
  options->request = find_long(row, strlen(row));
  return EE_OK;
}

/* An option of the jail without --jail is a mistake. */
static ee_status check_jail(const ee_options *options, ee_error *error) {
  const char *of_jail = options->jail_read.count > 0             ? "jail-read"
                        : options->jail_memory != EE_JAIL_MEMORY ? "jail-memory"
                        : options->jail_cpu != 0                 ? "jail-cpu"
                        : options->allow_network                 ? "allow-network"
                                                                 : NULL;
  if (options->jail || of_jail == NULL) return EE_OK;
  return ee_error_set(error, EE_ERROR_USAGE, "--%s needs --jail", of_jail);
}

/* Reads the words argv[1], ... into options and operands. */
static ee_status parse_words(int argc, char **argv, ee_options *options, ee_error *error) {
  *options = (ee_options){.format = &ee_report_formats[0],
                          .lua_budget = -1,
                          .trials = -1,
                          .confidence = -1,
                          .effect = -1,
                          .power = -1,
                          .half_width = -1,
                          .jail_memory = EE_JAIL_MEMORY,
                          .limits = EE_LIMITS_DEFAULT};
  options->arena = ee_malloc(sizeof *options->arena);
  ee_arena_init(options->arena, 0);
  options->given = EE_NEW_ARRAY(options->arena, const char *, sizeof ee_option_rows / sizeof *ee_option_rows);
  options->operands = EE_NEW_ARRAY(options->arena, const char *, (size_t)argc + 1);
  bool only_operands = false;
  for (int at = 1; at < argc; at++) {
    ee_status status = EE_OK;
    if (only_operands || argv[at][0] != '-' || argv[at][1] == '\0')
      options->operands[options->operand_count++] = argv[at];
    else if (strcmp(argv[at], "--") == 0)
      only_operands = true;
    else if (argv[at][1] == '-')
      status = parse_long(argc, argv, &at, options, error);
    else
      status = parse_short(argc, argv, &at, options, error);
    if (status != EE_OK) return status;
  }
  return EE_OK;
}

/* What the options must be, whatever the command. */
static ee_status check_values(ee_options *options, ee_error *error) {
  double confidence = options->confidence;
  if (confidence >= 0 && (confidence < EE_LOWEST_CONFIDENCE || confidence > EE_HIGHEST_CONFIDENCE))
    return ee_error_set(error, EE_ERROR_USAGE, "--confidence must be within %g..%g", EE_LOWEST_CONFIDENCE,
                        EE_HIGHEST_CONFIDENCE);
  ee_status status = check_own_format(options, error);
  if (status == EE_OK) status = ee_foreign_options(options, error);
  return status == EE_OK ? check_jail(options, error) : status;
}

ee_status ee_options_parse(int argc, char **argv, ee_options *options, ee_error *error) {
  ee_status parsed = parse_words(argc, argv, options, error);
  if (parsed != EE_OK) return parsed;
  const char *first = options->operands[0];
  if (options->request == NULL && first != NULL && strcmp(first, "help") == 0) return read_help(options, error);
  if (options->request != NULL) options->command = find_word(first);
  if (options->request != NULL) return EE_OK;
  ee_status status = check_operands(options, error);
  if (status == EE_OK) status = check_values(options, error);
  return status == EE_OK ? choose_format(options, error) : status;
}

/* Options that a host cannot have, besides those of the jail: they write files, or are about the process
 * or a terminal. */
static const char *const not_for_hosts[] = {"output",     "results", "state",    "resume", "save-rules",
                                            "annotate",   "timings", "progress", "keep",   "except",
                                            "duplicates", "ca-file", "quiet",    "watch",  NULL};

static bool is_for_hosts(const ee_option_row *row) {
  for (const char *const *name = not_for_hosts; *name != NULL; name++)
    if (strcmp(row->name, *name) == 0) return false;
  return row->kind != EE_KIND_REQUEST && strcmp(row->group, "Jail") != 0;
}

ee_status ee_options_parse_for_host(int argc, char **argv, ee_options *options, const ee_host_words *words,
                                    ee_error *error) {
  ee_status status = parse_words(argc, argv, options, error);
  if (status != EE_OK) return status;
  if (options->operand_count > 0)
    return ee_error_set(error, EE_ERROR_USAGE, "'%s' among the arguments is not an option", options->operands[0]);
  for (size_t i = 0; ee_option_rows[i].name != NULL; i++)
    if (options->given[i] != NULL && !is_for_hosts(&ee_option_rows[i]))
      return ee_error_set(error, EE_ERROR_USAGE, "--%s does not apply to a call of the library",
                          ee_option_rows[i].name);
  options->command = words->command;
  options->operands = EE_NEW_ARRAY(options->arena, const char *, words->count + 1);
  for (size_t i = 0; i < words->count; i++) {
    options->operands[i] = words->operands[i];
    if (strcmp(words->operands[i], "-") == 0)
      return ee_error_set(error, EE_ERROR_USAGE, "standard input '-' is not a file of a call of the library");
  }
  options->operand_count = words->count;
  if (words->count > 0 && words->command->first != EE_FIRST_DATA) {
    status = examine(options, options->operands[0], error);
    if (status != EE_OK) return status;
  }
  if (words->state) options->given[find_long("state", 5) - ee_option_rows] = options->state = "state";
  if (options->given[find_long("format", 6) - ee_option_rows] == NULL && !words->state)
    options->format = ee_report_format_find(EE_STR("json"));
  const char *misplaced = ee_options_misplaced(options, words->command->bits);
  if (misplaced != NULL) return ee_error_set(error, EE_ERROR_USAGE, "--%s does not apply to this call", misplaced);
  return check_values(options, error);
}

const ee_command_row *ee_command_named(const char *word) {
  for (const ee_command_row *row = ee_command_rows; row->operands != NULL; row++)
    if (row->word != NULL && strcmp(row->word, word) == 0) return row;
  return NULL; /* unreached: callers know the words */
}

const ee_command_row *ee_evaluation_by(const char *rules) {
  return find_kind(rules == NULL                                    ? EE_FIRST_DATA
                   : ee_is_yaml_name(rules) && !is_rule_file(rules) ? EE_FIRST_YAML
                                                                    : EE_FIRST_RULES);
}

ee_status ee_options_check_format(const ee_options *options, ee_document document, const char *command,
                                  ee_error *error) {
  const ee_report_format *format = options->format;
  const char *of = command != NULL ? ee_arena_printf(options->arena, "'%s'", command) : "an evaluation";
  if (!ee_report_format_has(format, document)) {
    const char *names = "";
    for (const ee_report_format *other = ee_report_formats; other->name != NULL; other++)
      if (ee_report_format_has(other, document))
        names = ee_arena_printf(options->arena, "%s%s%s", names, *names != '\0' ? ", " : "", other->name);
    const char *file = options->given[find_long("format", 6) - ee_option_rows] == NULL ? options->output : NULL;
    return file == NULL
               ? ee_error_set(error, EE_ERROR_USAGE, "--format %s does not apply to %s (one of %s)", format->name, of,
                              names)
               : ee_error_set(error, EE_ERROR_USAGE, "the format of '%s', %s, does not apply to %s (one of %s)", file,
                              format->name, of, names);
  }
  const char *choice = options->sections.count > 0 ? "section" : options->columns.count > 0 ? "columns" : NULL;
  if (choice == NULL || format->page != NULL) return EE_OK;
  return ee_error_set(error, EE_ERROR_USAGE, "--%s does not apply to --format %s (table or markdown)", choice,
                      format->name);
}

void ee_options_fini(ee_options *options) {
  ee_arena_fini(options->arena);
  ee_free(options->arena);
  *options = (ee_options){0};
}

void ee_options_set_limits(const ee_options *options) { ee_limits_set(&options->limits); }

/* The file of --config ------------------------------------------------------------------------- */

/* The second of the first two equal keys. */
typedef struct duplicate_key {
  bool found;
  size_t offset;
  char key[100];
} duplicate_key;

static void on_duplicate_key(void *user, ee_str key, size_t offset) {
  duplicate_key *duplicate = user;
  if (duplicate->found) return;
  duplicate->found = true;
  duplicate->offset = offset;
  size_t length = ee_utf8_cut(key, sizeof duplicate->key - 1);
  if (length > 0) memcpy(duplicate->key, key.data, length);
  duplicate->key[length] = '\0';
}

/* Line and column of a byte, from 1. */
static void place_of(ee_str text, size_t offset, size_t *line, size_t *column) {
  size_t line_start = 0;
  *line = 1;
  for (size_t i = 0; i < offset && i < text.length; i++) {
    if (text.data[i] != '\n') continue;
    *line += 1;
    line_start = i + 1;
  }
  *column = offset - line_start + 1;
}

/* In data a duplicate key is a warning; in a configuration, which a person wrote, it is an error. */
static const ee_value *read_json(ee_arena *arena, ee_str text, ee_error *error) {
  duplicate_key duplicate = {0};
  ee_json_options options = {.on_duplicate_key = on_duplicate_key, .user = &duplicate};
  const ee_value *value = ee_json_read(arena, text, &options, error);
  if (value == NULL || !duplicate.found) return value;
  size_t line, column;
  place_of(text, duplicate.offset, &line, &column);
  ee_error_at(error, EE_ERROR_DATA, NULL, line, column, "duplicate key '%s'", duplicate.key);
  return NULL;
}

/* Reads `file` into `arena`: one object. */
static ee_status read_config(const char *file, ee_arena *arena, const ee_value **config, ee_error *error) {
  if (strcmp(file, "-") == 0) return ee_error_set(error, EE_ERROR_USAGE, "--config takes a file, not standard input");
  ee_error kept = {0};
  ee_buffer text;
  ee_buffer_init(&text);
  ee_status status = ee_load_text(file, &text, &kept);
  const ee_value *value = NULL;
  if (status == EE_OK) {
    ee_str all = {ee_buffer_terminate(&text), text.length};
    value = ee_is_yaml_name(file) ? ee_yaml_read(arena, all, NULL, &kept) : read_json(arena, all, &kept);
    if (value == NULL)
      ee_error_at(error, EE_ERROR_RULES, file, kept.line, kept.column, "%s", kept.message);
    else if (ee_type_of(value) != EE_OBJECT)
      ee_error_at(error, EE_ERROR_RULES, file, 0, 0, "the configuration must be an object, got %s",
                  ee_type_name(value));
    else
      *config = value;
  } else {
    ee_error_set(error, EE_ERROR_RULES, "%s", kept.message);
  }
  ee_buffer_fini(&text);
  return *config != NULL ? EE_OK : EE_ERROR_RULES;
}

ee_status ee_options_read_config(ee_options *options, ee_error *error) {
  if (options->config == NULL) return EE_OK;
  return read_config(options->config, options->arena, &options->config_tree, error);
}
