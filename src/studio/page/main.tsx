import { render } from "preact"
import { call } from "./call.ts"

const root = document.getElementById("app")
const home = await call("project", "home", {})
if (root !== null) {
  render(
    <main>
      <h1>{home.folder}</h1>
      <ul>{home.pipelines.map(({ name }) => <li key={name}>{name}</li>)}</ul>
    </main>,
    root,
  )
}
