import { readFileSync } from 'node:fs'

/** What tests need of a server that other tests use too. */
export interface SharedMandate {
  url: string
  dataDir: string
  /** Everything printed so far. */
  output(): string
}

const name = 'MANDATE_TEST_SERVER'

/** Settings of the server that prepare-data.ts starts for all test files. */
export const settingsOfRun = {
  MANDATE_HEARTBEAT_SECONDS: '1',
  MANDATE_AUTH_THROTTLE: 'off',
  MANDATE_SESSION_RATE: '1000000',
  MANDATE_FAULTS: 'on',
  // Tests search the log for secrets.
  LOG_LEVEL: 'trace',
}

interface Described {
  url: string
  dataDir: string
  /** The file with everything that the server prints. */
  logFile: string
}

/** Tells the test files of the run about its server. */
export function announceServer(described: Described): void {
  process.env[name] = JSON.stringify(described)
}

/** The server of the run. Null if prepare-data.ts is not in the project's globalSetup. */
export function serverOfRun(): SharedMandate | null {
  const text = process.env[name]
  if (text === undefined) return null
  const { url, dataDir, logFile } = JSON.parse(text) as Described
  return { url, dataDir, output: () => readFileSync(logFile, 'utf8') }
}

/** The log entries in what a server printed. */
export function logEntries(output: string): Record<string, unknown>[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .flatMap((line) => {
      try {
        return [JSON.parse(line)]
      } catch {
        // The rest of the line is still to come.
        return []
      }
    })
}
