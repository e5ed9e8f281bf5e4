import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Member } from '../authz/actor.ts'
import { BoundedMap } from './bounded-map.ts'

const capacity = 50_000

/**
 * Who each credential was when it was last let in. A read may be sent along with the look-up of who it is now, for that actor,
 * and answers only if the look-up finds the very same: one round trip to the database in place of two. Nothing is decided here.
 */
export class LastActors {
  private readonly known = new BoundedMap<Member>(capacity)

  of(header: string | undefined): Member | undefined {
    return header === undefined ? undefined : this.known.get(keyOf(header))
  }

  remember(header: string, actor: Member): void {
    this.known.set(keyOf(header), actor)
  }

  forget(header: string): void {
    this.known.delete(keyOf(header))
  }
}

// No credential is kept in clear.
const keyOf = (header: string) => hash('sha256', header, 'base64')

/** Whether two look-ups found the same actor with the same authority. */
export function isSame(one: Member, other: Member): boolean {
  return isDeepStrictEqual(one, other)
}
