import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Member } from '../authz/actor.ts'
import { bearer } from './authenticate.ts'
import { BoundedMap } from './bounded-map.ts'

const capacity = 50_000

/**
 * Who each credential was when it was last let in. A read may be sent along with the look-up of who it is now, for that actor,
 * and answers only if the look-up finds the very same; a change may be begun for that actor, whose transaction ends with
 * `requireSameCaller`. Saves round trips to the database, and decides nothing.
 */
export class LastActors {
  private readonly known = new BoundedMap<Member>(capacity)

  /** What is remembered of the credential in an `Authorization` header, however that is written. */
  of(header: string | undefined): LastActor | undefined {
    const token = bearer(header)
    // No credential is kept in clear.
    return token === null ? undefined : new LastActor(this.known, hash('sha256', token, 'base64'))
  }
}

export class LastActor {
  private readonly known: BoundedMap<Member>
  private readonly key: string

  constructor(known: BoundedMap<Member>, key: string) {
    this.known = known
    this.key = key
  }

  get actor(): Member | undefined {
    return this.known.get(this.key)
  }

  remember(actor: Member): void {
    this.known.set(this.key, actor)
  }

  /** Who is refused costs one look-up: nothing is begun for them. */
  forget(): void {
    this.known.delete(this.key)
  }
}

/** Whether two look-ups found the same actor with the same authority. */
export function isSame(one: Member, other: Member): boolean {
  return isDeepStrictEqual(one, other)
}
