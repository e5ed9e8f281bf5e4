import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core'
import parsers from '@stoplight/spectral-parsers'
import rulesets from '@stoplight/spectral-rulesets'

/**
 * `npm run lint:api`: checks the committed OpenAPI document with the recommended rules of Spectral and Redocly (redocly.yaml).
 * Warnings fail too. Takes the path of another document as an optional argument. Uses no network.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const [path = 'packages/contract/openapi.json'] = process.argv.slice(2)

const spectral = new spectralCore.Spectral()
spectral.setRuleset({
  extends: [rulesets.oas as RulesetDefinition],
  rules: {
    // The contact would be the operator of an installation, but all installations share this document.
    'info-contact': 'off',
  },
})
const document = new spectralCore.Document(readFileSync(path, 'utf8'), parsers.Json, path)
const results = await spectral.run(document)
for (const { code, message, range } of results) console.error(`${path}:${range.start.line + 1} ${code}: ${message}`)
console.log(`spectral: ${results.length} problems`)

const redocly = `${root}node_modules/@redocly/cli/bin/cli.js`
const { status } = spawnSync(process.execPath, [redocly, 'lint', path, '--config', `${root}redocly.yaml`], {
  env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  stdio: 'inherit',
})
if (results.length > 0 || status !== 0) process.exitCode = 1
