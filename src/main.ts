#!/usr/bin/env node
import * as NodeContext from "@effect/platform-node/NodeContext"
import { formferry } from "./cli/formferry.ts"
import { runMain } from "./cli/runMain.ts"

runMain(process, NodeContext.layer, formferry)
