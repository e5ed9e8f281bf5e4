import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from './mandate-process.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** A program that uses the installed package. Wrong calls must not compile. */
const program = `
import { apiKey, createClient, eachOf, guard, MandateError, session, ToolDenied, tokensOf } from '@mandate/sdk'
import { ToolDenied as sameToolDenied } from '@mandate/sdk/tool-errors'
export async function use() {
  const client = createClient({ url: 'http://127.0.0.1', credential: apiKey('mk_a') })
  for await (const agent of eachOf(client, 'listAgents', { query: { status: 'active' } })) agent.name.trim()
  const agent = await client.call('getAgent', { path: { agent_id: 'a' } })
  const status: 'registered' | 'active' | 'suspended' | 'archived' = agent.status
  // @ts-expect-error: the path is missing
  await client.call('getAgent')
  // @ts-expect-error: no such status
  await client.call('listAgents', { query: { status: 'nope' } })
  // @ts-expect-error: no such field
  agent.nonsense
  const nothing: undefined = await client.call('archiveAgent', { path: { agent_id: 'a' } })
  const double: number = await guard('fn:a/b', async ({ n }: { n: number }) => n * 2)({ n: 1 })
  return [status, nothing, double]
}
console.log(typeof use, typeof session, typeof tokensOf, MandateError.name, ToolDenied === sameToolDenied)
`

/** The samples of docs/sdk.md as modules, with what they leave to the reader declared. */
async function samplesOfDocs(): Promise<[name: string, text: string][]> {
  const page = await readFile(join(root, 'docs/sdk.md'), 'utf8')
  const samples = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, sample]) => sample as string)
  expect(samples.length).toBeGreaterThan(3)
  const declared = {
    mandate: "const mandate: import('@mandate/sdk').Client",
    process: 'const process: { env: Record<string, string | undefined> }',
    agent_id: 'const agent_id: string',
    policy_id: 'const policy_id: string',
    url: 'const url: string',
    email: 'const email: string',
    password: 'const password: string',
    keep: 'function keep(tokens: unknown): void',
    askToSignIn: 'function askToSignIn(): Promise<void>',
    billing: 'const billing: { refund(invoice: string, amount: number): Promise<void> }',
  }
  return samples.map((sample, index) => {
    const missing = Object.entries(declared).filter(([name]) => !new RegExp(`const ${name}\\b`).test(sample))
    // Without an export, the file would be a script, whose names are global.
    return [`sample-${index}.ts`, `${missing.map(([, text]) => `declare ${text}\n`).join('')}${sample}\nexport {}\n`]
  })
}

function run(file: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, encoding: 'utf8' })
  expect(status, stdout + stderr).toBe(0)
  return stdout
}

test('the built package runs and has types after installation, without other packages', async () => {
  const folder = await temporaryFolder()
  run('npm', ['run', 'build', '--workspace', '@mandate/sdk'], root)
  const [packed] = JSON.parse(
    run('npm', ['pack', '--json', '--pack-destination', folder], join(root, 'packages/sdk/dist')),
  )
  await writeFile(join(folder, 'package.json'), '{"type": "module"}')
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${packed.filename}`], folder)
  const manifest = JSON.parse(await readFile(join(folder, 'node_modules/@mandate/sdk/package.json'), 'utf8'))
  expect(manifest).not.toHaveProperty('dependencies')
  await writeFile(join(folder, 'program.ts'), program)
  const samples = await samplesOfDocs()
  for (const [name, text] of samples) await writeFile(join(folder, name), text)
  const compiler = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--target',
    'es2024',
    '--lib',
    'es2024,dom',
    '--types',
    '',
  ]
  for (const modules of [['nodenext'], ['esnext', '--moduleResolution', 'bundler']]) {
    run(
      join(root, 'node_modules/.bin/tsc'),
      [...compiler, '--module', ...modules, 'program.ts', ...samples.map(([name]) => name)],
      folder,
    )
  }
  expect(run(join(root, 'node_modules/.bin/node'), ['program.ts'], folder)).toBe(
    'function function function MandateError true\n',
  )
})
