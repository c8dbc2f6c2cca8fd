#!/usr/bin/env node
// Runs the program that this package carries, as if it had been called itself: arguments, standard streams, signals, exit status.
"use strict";
const { join } = require("node:path");
const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const program = join(__dirname, "..", "bin", "evalengine");
const words = process.argv.slice(2);

function fail(error) {
  console.error(`evalengine: cannot run '${program}': ${error.message}`);
  process.exit(5);
}

if (typeof process.execve === "function") {
  // The program takes the place of node.
  try {
    process.execve(program, [program, ...words], process.env);
  } catch (error) {
    fail(error);
  }
} else {
  const child = spawn(program, words, { stdio: "inherit" });
  // A terminal sends these to the program, too.
  const terminal = process.stdin.isTTY || process.stderr.isTTY;
  for (const name of ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGUSR2"])
    process.on(name, () => {
      if (!terminal || (name !== "SIGINT" && name !== "SIGQUIT")) child.kill(name);
    });
  child.on("error", fail);
  child.on("exit", (status, signal) => {
    if (signal === null) process.exit(status);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    setTimeout(() => process.exit(128 + constants.signals[signal]), 1000);
  });
}
