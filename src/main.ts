#!/usr/bin/env node
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect } from "effect"
import { formferry } from "./cli/formferry.ts"
import { runMain } from "./cli/runMain.ts"

runMain(process, (terminal) => Effect.provide(formferry(terminal), NodeContext.layer))
