import { readFileSync } from 'node:fs'
import { endpoints } from '@mandate/contract/endpoints'
import { Content, on, type Route } from '../../http/routes/route.ts'

const gettingStartedFile = new URL('../../../../../docs/getting-started.md', import.meta.url)

let gettingStarted: string | undefined

/**
 * Reads the guide for getting started. Removes its HTML comments, because they contain only commands for tests. The file is
 * read only once.
 */
function readGettingStarted(): string {
  gettingStarted ??= readFileSync(gettingStartedFile, 'utf8').replaceAll(/<!--[\s\S]*?-->\n/g, '')
  return gettingStarted
}

export const pageRoutes: readonly Route[] = [
  on(endpoints.readGettingStarted, async () => new Content(readGettingStarted(), 'text/plain; charset=utf-8')),
]
