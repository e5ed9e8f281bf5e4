import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const limitMs = 60_000
/** The name of a mail's file has this much of the address at least. */
const namedCharacters = 50

/**
 * Waits for a mail to an address with a link to a page, and returns the path of the link in the newest one. @param page the page of the
 * link, such as `join`
 */
export async function linkMailedTo(address: string, page: string): Promise<string> {
  const folder = join(process.env.MANDATE_BROWSER_DATA as string, 'mail')
  const link = new RegExp(`/${page}\\?token=[A-Za-z0-9_-]+`)
  for (const giveUpAt = Date.now() + limitMs; Date.now() < giveUpAt; await pause(50)) {
    const names = await readdir(folder).catch(() => [])
    for (const name of names.sort().reverse()) {
      if (!name.includes(address.slice(0, namedCharacters)) || !name.endsWith('.eml')) continue
      const found = link.exec(await readFile(join(folder, name), 'utf8'))
      if (found) return found[0]
    }
  }
  throw new Error(`no mail to ${address} with a link to ${page} arrived`)
}
