// Fails if a test waits for a condition with a limit under a minute, or measures time and has not the tag `long`. Such a test fails on a busy
// machine. Fails if a test makes an app of the services that the files of a worker share: closing it ends the event streams of other tests. Fails
// if a test mocks a module: the files of a worker share their modules, so another file may have loaded it before.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const leastMs = 60_000
/** The start of a wait, or of a constant with the limit of waits. */
const wait = /(?:waitFor|\.poll|toPass)\(|\bconst \w+ = \{ timeout:/
const limit = /\btimeout: ?(\d[\d_]*)/
/** A measured time with an upper limit, and CPU time. */
const measured = /\.now\(\) - .*\)\.toBeLess|process\.cpuUsage\(/
/** How many lines after the start of a wait may have its options. */
const lines = 5

const files = execFileSync('git', ['ls-files', 'packages', 'test'], { encoding: 'utf8' }).split('\n')
// Playwright has its own limits in playwright.config.ts.
const short = files.filter((file) => file.endsWith('.ts') && !file.startsWith('test/browser/')).flatMap(findShortWaits)
for (const place of short) console.error(`${place}: a wait for a condition needs a limit of at least ${leastMs} ms`)
const measuring = files
  .filter((file) => /^(packages|test\/acceptance)\/.*(?<!\.load)\.test\.ts$/.test(file))
  .flatMap(findMeasuring)
for (const file of measuring) console.error(`${file}: a test that measures time needs the tag long`)
const ending = files.filter((file) => file.endsWith('.test.ts')).filter(endsSharedStreams)
for (const file of ending) console.error(`${file}: a test that calls createApp needs useOwnServer`)
const mocking = files.filter((file) => file.endsWith('.test.ts') && readFileSync(file, 'utf8').includes('vi.mock('))
for (const file of mocking) console.error(`${file}: a test must not mock a module`)
process.exitCode = short.length + measuring.length + ending.length + mocking.length > 0 ? 1 : 0

function findShortWaits(file: string): string[] {
  const text = readFileSync(file, 'utf8').split('\n')
  return text.flatMap((line, index) => {
    const value = limit.exec(line)?.[1]
    const isShort = value !== undefined && Number(value.replaceAll('_', '')) < leastMs
    const isOfWait = text.slice(Math.max(0, index - lines), index + 1).some((before) => wait.test(before))
    return isShort && isOfWait ? [`${file}:${index + 1}`] : []
  })
}

function findMeasuring(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  return measured.test(text) && !text.includes("tags: ['long']") ? [file] : []
}

function endsSharedStreams(file: string): boolean {
  const text = readFileSync(file, 'utf8')
  return text.includes('createApp(') && text.includes('useTestServer()')
}
