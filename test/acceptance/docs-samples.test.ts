import { spawnSync } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ids } from '@mandate/contract/examples/ids'
import { type Client, createClient } from '@mandate/sdk/client'
import { apiKey } from '@mandate/sdk/credential'
import { describe, expect, test } from 'vitest'
import { register } from './call-api.ts'
import { sharedMandate, temporaryFolder } from './mandate-process.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const server = sharedMandate()

/** Reads the code samples of one language from `/docs`. Returns them by operation id. */
async function samplesIn(language: 'curl' | 'TypeScript'): Promise<Map<string, string>> {
  const page = await (await fetch(`${server().url}/docs`)).text()
  const operations = page.split('<details class="operation" data-id="').slice(1)
  return new Map(
    operations.flatMap((operation) => {
      const sample = operation.split(`<h3>${language}</h3><pre class="sample">`)[1]?.split('</pre>')[0]
      return sample === undefined ? [] : [[operation.slice(0, operation.indexOf('"')), unescaped(sample)] as const]
    }),
  )
}

const unescaped = (html: string) =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** Creates a policy and an agent. `withIds` replaces the example ids in a sample by the real ids. */
async function arrange() {
  const { credential } = await register(server(), `owner-${Math.random()}@example.com`)
  const client = createClient({ url: server().url, credential: apiKey(credential) })
  const environments = await client.call('listEnvironments')
  const environment_id = environments.data.find(({ is_production }) => !is_production)?.id as string
  const { id: policy_id } = await client.call('createPolicy', { body: { name: 'Any', environment_id } })
  const { agent } = await client.call('createAgent', { body: { name: 'Any', environment_id, policy_id } })
  const real = { [ids.development]: environment_id, [ids.policy]: policy_id, [ids.agent]: agent.id }
  const withIds = (sample: string) => Object.entries(real).reduce((text, [of, id]) => text.replaceAll(of, id), sample)
  return { client, credential, withIds, agent_id: agent.id, policy_id }
}

const tried = [
  'listAgents',
  'createAgent',
  'getAgent',
  'changeLifecycle',
  'createPolicy',
  'createRule',
  'simulatePolicy',
]

describe('the samples of /docs', () => {
  test('all compile against the SDK', async () => {
    const samples = await samplesIn('TypeScript')
    expect(samples.size).toBeGreaterThan(100)
    const functions = [...samples].map(([id, sample]) => {
      const names = /path: \{ (.*) \}/.exec(sample)?.[1]?.split(', ') ?? []
      const types: Record<string, string> = { version: 'number' }
      const parameters = names.map((name) => `, ${name}: ${types[name] ?? 'string'}`).join('')
      return `export async function ${id}(mandate: Client${parameters}) {\n  ${sample}\n}`
    })
    const folder = await temporaryFolder()
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    await writeFile(join(folder, 'package.json'), '{"type": "module"}')
    await writeFile(
      join(folder, 'samples.ts'),
      `import type { Client } from '@mandate/sdk/client'\n${functions.join('\n')}\n`,
    )
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules/typescript/bin/tsc'),
        ...['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions'],
        ...['--target', 'es2024', '--module', 'nodenext', '--types', 'node', 'samples.ts'],
      ],
      { cwd: folder, encoding: 'utf8' },
    )
    expect(status, stdout).toBe(0)
  })

  test.each(tried)('run with the SDK: %s', async (id) => {
    const { client, withIds, agent_id, policy_id } = await arrange()
    const sample = withIds((await samplesIn('TypeScript')).get(id) ?? '')
    const run = new Function('mandate', 'agent_id', 'policy_id', `return ${sample.replace('await ', '')}`)
    const call: (client: Client, ...ids: string[]) => Promise<unknown> = run as never
    expect(await call(client, agent_id, policy_id)).toBeTypeOf('object')
  })

  test.skipIf(spawnSync('curl', ['--version']).status !== 0).each(tried)('run with curl: %s', async (id) => {
    const { credential, withIds, agent_id, policy_id } = await arrange()
    const sample = withIds((await samplesIn('curl')).get(id) ?? '')
    const { stdout } = spawnSync('sh', ['-c', `${sample} --silent --fail-with-body`], {
      encoding: 'utf8',
      env: { ...process.env, MANDATE_URL: server().url, TOKEN: credential, agent_id, policy_id },
    })
    expect(JSON.parse(stdout)).not.toHaveProperty('error')
  })
})
