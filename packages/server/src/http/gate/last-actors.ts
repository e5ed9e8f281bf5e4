import type { Member } from '../../authz/actor.ts'
import type { BearerToken } from '../../caller/bearer-token.ts'
import { createLruCache, type LRUCache } from '../../memory/lru-cache.ts'

const capacity = 50_000

/**
 * Caches the last actor of each credential. `readAhead` starts a read for the cached actor while the database verifies the
 * credential. This saves a round trip. The cache grants no access: if the verified actor differs from the cached actor, the
 * result of the read is dropped.
 */
export class LastActors {
  private readonly known = createLruCache<Member>(capacity)

  /** Returns the cache entry of a token. */
  of(token: BearerToken | null): LastActor | undefined {
    return token === null ? undefined : new LastActor(this.known, token.digest)
  }
}

export class LastActor {
  /** The cached actor. Undefined if the credential is not cached. */
  readonly actor: Member | undefined
  private readonly known: LRUCache<string, Member>
  private readonly key: string

  constructor(known: LRUCache<string, Member>, key: string) {
    this.known = known
    this.key = key
    this.actor = known.get(key)
  }

  /**
   * Waits for `admission`, which verifies the credential and resolves to the verified actor. Returns the object `this.actor` if
   * the verified actor equals it, so that the caller can compare the two with `===`. Otherwise caches and returns the verified
   * actor. If `admission` rejects, removes the cached actor and throws the same error.
   */
  async update<A>(admission: Promise<A>): Promise<A> {
    try {
      const admitted = await admission
      // The cast is safe, because `update` is called only for endpoints that members call.
      const actor = admitted as Member
      if (this.actor && isSame(this.actor, actor)) return this.actor as A
      this.known.set(this.key, actor)
      return admitted
    } catch (refusal) {
      this.known.delete(this.key)
      throw refusal
    }
  }
}

/** True if two actors are equal in all fields, including their rights. */
export function isSame(one: Member, other: Member): boolean {
  return isEqual(one, other)
}

// An actor has only strings, numbers, booleans, null, and objects and arrays of these. `isDeepStrictEqual` takes several times as long.
function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length) return false
  for (const name of names) {
    if (!Object.hasOwn(other, name) || !isEqual(one[name as never], other[name as never])) return false
  }
  return true
}
