import { createHash } from "node:crypto"
import { html, Markup } from "./markup.ts"

const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

const allowed = (texts: ReadonlyArray<string>): string => texts.length === 0 ? "'none'" : texts.map(hash).join(" ")

/**
 * A page that stands by itself: styles and scripts are inside and named in the policy by their digests, so that nothing else can run, load or be sent. `styles` and `scripts`
 * are texts of ours and must hold no value of a run.
 */
export const page = (content: {
  readonly title: string
  readonly styles: ReadonlyArray<string>
  readonly scripts: ReadonlyArray<string>
  readonly body: Markup
}): string => {
  const policy = [
    "default-src 'none'",
    `style-src ${allowed(content.styles)}`,
    `script-src ${allowed(content.scripts)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ")
  const styles = content.styles.map((style) => new Markup(`<style>${style}</style>\n`))
  const scripts = content.scripts.map((script) => new Markup(`<script>${script}</script>\n`))
  // The policy's only special characters are the quotes around its keywords, which may stand in an attribute as they are.
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${content.title}</title>
${styles}</head>
<body>
${content.body}
${scripts}</body>
</html>
`.text
}
