#!/usr/bin/env node
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import * as CommandExecutor from "@effect/platform/CommandExecutor"
import { Effect, Layer } from "effect"
import { formferry } from "./cli/formferry.ts"
import { runMain } from "./cli/runMain.ts"

/** @effect/cli would start other programs in its wizard, which formferry does not offer: Node's part for that is not loaded. */
const noPrograms = Layer.succeed(
  CommandExecutor.CommandExecutor,
  CommandExecutor.makeExecutor(() => Effect.dieMessage("formferry starts no other program")),
)

runMain(process, Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeTerminal.layer, noPrograms), formferry)
