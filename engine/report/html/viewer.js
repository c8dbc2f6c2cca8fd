// viewer.js: the list of cases and the page of one case.
"use strict";
