#!/usr/bin/env node
import { keepCompiled } from "./compile-cache.ts";

// Before the rest is loaded: what is loaded earlier is compiled anew by every process.
keepCompiled(process.env);
void import("./process.ts").then(({ runProcess }) => runProcess());
