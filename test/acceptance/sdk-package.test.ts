import { spawnSync } from 'node:child_process'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from './mandate-process.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** A program that uses the installed package. Wrong calls must not compile. */
const program = `
import { createClient } from '@mandate/sdk/client'
import { apiKey } from '@mandate/sdk/credential'
import { guard } from '@mandate/sdk/guard'
import { eachOf } from '@mandate/sdk/pages'
import { ToolDenied } from '@mandate/sdk/tool-errors'
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
console.log(typeof use, ToolDenied.name)
`

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
  run('tar', ['-xf', packed.filename], folder)
  await mkdir(join(folder, 'node_modules/@mandate'), { recursive: true })
  await rename(join(folder, 'package'), join(folder, 'node_modules/@mandate/sdk'))
  const manifest = JSON.parse(await readFile(join(folder, 'node_modules/@mandate/sdk/package.json'), 'utf8'))
  expect(manifest).not.toHaveProperty('dependencies')
  await writeFile(join(folder, 'package.json'), '{"type": "module"}')
  await writeFile(join(folder, 'program.ts'), program)
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
    run(join(root, 'node_modules/.bin/tsc'), [...compiler, '--module', ...modules, 'program.ts'], folder)
  }
  expect(run(join(root, 'node_modules/.bin/node'), ['program.ts'], folder)).toBe('function ToolDenied\n')
})
