import { readFile } from 'node:fs/promises'
import { keyId } from '@mandate/policy/audit-chain'
import { z } from 'zod'

const KeyList = z.object({ keys: z.array(z.object({ public_key_pem: z.string() })).min(1) })

/**
 * The service's public keys from a file or an http(s) URL: a PEM, or `{"keys": [{"public_key_pem"}]}` as the service
 * serves them. A file kept since before is the stronger proof: whoever could forge the trail might serve the key too.
 * @throws when it cannot be read or holds no public key
 */
export async function loadKeys(source: string): Promise<string[]> {
  const text = /^https?:\/\//.test(source) ? await fetchText(source) : await readFile(source, 'utf8')
  const pems = text.trimStart().startsWith('{') ? pemsOf(text) : [text]
  try {
    for (const pem of pems) keyId(pem)
  } catch {
    throw new Error(`${source} holds no public key`)
  }
  return pems
}

function pemsOf(text: string): string[] {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return [text]
  }
  const { data } = KeyList.safeParse(given)
  return data?.keys.map((key) => key.public_key_pem) ?? ['']
}

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  return await response.text()
}
