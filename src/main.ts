#!/usr/bin/env node
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import * as Layer from "effect/Layer"
import { formferry } from "./cli/formferry.ts"
import { runMain } from "./cli/runMain.ts"

runMain(process, Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeTerminal.layer), formferry)
