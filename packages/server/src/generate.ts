import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endpoints } from '@mandate/contract/endpoints'
import { openApiDocument } from '@mandate/contract/openapi/openapi'
import { startEmbedded } from '@mandate/embedded-postgres/start-embedded'
import { writeRoutes, writeSchema } from '../../sdk/generate/write-schema.ts'
import { generateTypes } from './db/schema/generate-types.ts'
import { migrate } from './db/schema/migrate.ts'

// Writes the generated files. With `--check`, it writes nothing, and fails if a file is out of date.

const onlyCheck = process.argv.includes('--check')
const openApi = `${JSON.stringify(openApiDocument(endpoints), null, 2)}\n`
const files = [
  { path: '../../contract/openapi.json', text: openApi },
  { path: '../../sdk/src/schema.generated.ts', text: await writeSchema(JSON.parse(openApi)) },
  { path: '../../sdk/src/routes.generated.ts', text: writeRoutes(JSON.parse(openApi)) },
  { path: './db/statements/types.generated.ts', text: await typesOfFreshDatabase() },
]
const stale: string[] = []
for (const { path, text } of files) {
  const file = fileURLToPath(new URL(path, import.meta.url))
  if ((await readFile(file, 'utf8').catch(() => null)) === text) continue
  stale.push(file)
  if (!onlyCheck) await writeFile(file, text)
}
for (const file of stale) process.stdout.write(onlyCheck ? `out of date: ${file}\n` : `written: ${file}\n`)
if (onlyCheck && stale.length > 0) {
  process.stderr.write('run `npm run generate` and commit what it writes\n')
  process.exitCode = 1
}

async function typesOfFreshDatabase(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mandate-generate-'))
  const database = await startEmbedded({ dataDir, durable: false })
  try {
    await migrate(database.ownerUrl)
    return await generateTypes(database.ownerUrl)
  } finally {
    await database.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
