import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import type { Member } from '../authz/actor.ts'
import type { BearerToken } from '../caller/bearer-token.ts'

const capacity = 50_000

/**
 * A cache of the actor that each credential last had. `readAhead` starts a read for the cached actor while the actor is verified.
 * The cache saves a round trip and decides nothing: the answer is dropped if the verified actor differs.
 */
export class LastActors {
  private readonly known = new LRUCache<string, Member>({ max: capacity })

  /** The cache entry of a token. */
  of(token: BearerToken | null): LastActor | undefined {
    return token === null ? undefined : new LastActor(this.known, token.digest)
  }
}

export class LastActor {
  private readonly known: LRUCache<string, Member>
  private readonly key: string

  constructor(known: LRUCache<string, Member>, key: string) {
    this.known = known
    this.key = key
  }

  get actor(): Member | undefined {
    return this.known.get(this.key)
  }

  /** Caches the admitted actor, or removes the entry if the credential is refused. Resolves and rejects as `admission` does. */
  async update<A>(admission: Promise<A>): Promise<A> {
    try {
      const actor = await admission
      // Only endpoints for members read ahead.
      this.known.set(this.key, actor as Member)
      return actor
    } catch (refusal) {
      this.known.delete(this.key)
      throw refusal
    }
  }
}

/** Whether two look-ups found the same actor with the same authority. */
export function isSame(one: Member, other: Member): boolean {
  return isDeepStrictEqual(one, other)
}
