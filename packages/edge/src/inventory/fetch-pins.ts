import { Pins } from '@mandate/contract/tools'
import { isOlder, type ListParts } from '../carry/signed-list.ts'
import { isSigned } from '../carry/signing-keys.ts'
import { type PinSet, pinSetOf } from './pin-set.ts'

/** An environment has at most 5,000 tools. Tools that change during the reading add pages. */
const mostPages = 50

/**
 * Fetches the pins of the environment: what changed since `held`, or everything.
 * @throws PinsRefused if the control plane answers with pins that are forged, older than `held`, or of another tenant; also the errors of `ControlPlane`
 */
export async function fetchPins(parts: ListParts, held: PinSet | null, signal: AbortSignal): Promise<PinSet> {
  const pages = await readPages(parts, held, signal)
  const [first] = pages
  // `since` counts versions of one environment. The agent may have moved to another one.
  if (held && first.since > 0 && first.environment_id !== held.environmentId)
    return keepNewer(held, pinSetOf(null, await readPages(parts, null, signal)))
  return keepNewer(held, pinSetOf(held, pages))
}

/** Thrown if the edge does not accept pins. */
export class PinsRefused extends Error {
  override readonly name = 'PinsRefused'
}

function keepNewer(held: PinSet | null, found: PinSet): PinSet {
  if (held !== null && isOlder(found, held))
    throw new PinsRefused(`the pins are version ${found.version}, older than version ${held.version}`)
  return found
}

async function readPages(parts: ListParts, held: PinSet | null, signal: AbortSignal): Promise<[Pins, ...Pins[]]> {
  const since = held?.version ?? 0
  const first = await readPage(parts, since > 0 ? `since=${since}` : '', signal)
  if (first.since !== 0 && first.since !== since) throw new PinsRefused('the pins are an answer to another request')
  const pages: [Pins, ...Pins[]] = [first]
  for (let token = first.next_page_token; token !== undefined; ) {
    if (pages.length === mostPages) throw new PinsRefused(`the pins have more than ${mostPages} pages`)
    const page = await readPage(parts, `page_token=${encodeURIComponent(token)}`, signal)
    if (page.environment_id !== first.environment_id || page.since !== first.since || page.version < first.version)
      throw new PinsRefused('the pages of the pins do not belong together')
    pages.push(page)
    token = page.next_page_token
  }
  return pages
}

async function readPage({ plane, keys, tenantId }: ListParts, query: string, signal: AbortSignal): Promise<Pins> {
  const { body } = await plane.ask({ path: `/edge/pins${query && `?${query}`}`, signal })
  const { data } = Pins.safeParse(body)
  if (!data) throw new PinsRefused('the control plane answered without pins')
  if (!(await isSigned(keys, body as Record<string, unknown>))) throw new PinsRefused(await keys.explain())
  const tenant = tenantId()
  if (tenant !== null && data.tenant_id !== tenant) throw new PinsRefused('the pins are for another tenant')
  return data
}
