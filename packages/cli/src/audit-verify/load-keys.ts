import { type PublishedKey, successionFault } from '@mandate/proofs/key-succession'
import { noAnswer } from '@mandate/sdk/send'
import { z } from 'zod'
import { readTextFile } from '../invocation/read-text-file.ts'

const ListedKey = z.object({ public_key_pem: z.string(), successor: z.object({ signature: z.string() }).optional() })
const KeyList = z.object({ keys: z.array(ListedKey).min(1) })

/**
 * Reads the service's public keys from a file or an http(s) URL. The source contains one key in PEM format, or the service's
 * response `{"keys": [{"public_key_pem"}]}`. A file that was saved earlier is safer than a URL, because an attacker who forges
 * the audit trail may also forge the keys at the URL.
 * @returns PEM keys, newest first
 * @throws if the source cannot be read or contains no public key, or if an older key did not sign the key that replaced it
 */
export async function loadKeys(source: string): Promise<string[]> {
  const text = /^https?:\/\//.test(source) ? await fetchText(source) : await readTextFile(source)
  const keys = text.trimStart().startsWith('{') ? listedKeys(text) : [{ public_key_pem: text }]
  let fault: string | undefined
  try {
    fault = successionFault(keys)
  } catch {
    throw new Error(`${source} contains no public key`)
  }
  if (fault !== undefined) throw new Error(`${source}: ${fault}; do not trust the keys from this source`)
  return keys.map((key) => key.public_key_pem)
}

function listedKeys(text: string): PublishedKey[] {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return [{ public_key_pem: text }]
  }
  return KeyList.safeParse(given).data?.keys ?? [{ public_key_pem: '' }]
}

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url).catch((error) => {
    throw noAnswer(error, url, undefined)
  })
  if (!response.ok) throw new Error(`cannot fetch the public keys: ${url} responded with status ${response.status}`)
  return await response.text()
}
