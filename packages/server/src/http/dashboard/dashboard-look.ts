import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { builtFolder, readPage } from './serve-dashboard.ts'

const looks = /<link rel="(?:icon|stylesheet)"[^>]*>|<script src="[^"]*\/theme\.js"><\/script>/g

/**
 * Returns the tags that give another page the look of the dashboard: its style sheets with the fonts, its icon, and the script that sets the
 * theme that the reader chose. Empty if the dashboard is not built. The page needs the headers of `pageHeaders` with `look`.
 */
export const dashboardLook = (basePath: string): string =>
  existsSync(join(builtFolder, 'index.html')) ? (readPage(builtFolder, basePath).match(looks) ?? []).join('\n') : ''
